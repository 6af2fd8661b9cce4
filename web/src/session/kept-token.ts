// The refresh token where all tabs of this origin see the same one at the same time.
//
// What one tab writes to `localStorage` another may read only a moment later, lock or no lock; on a busy machine that moment was
// long enough to use a token twice, which ends the sign-in. A database's transactions are ordered across tabs.

const DATABASE = "stakemate";
const STORE = "session";
const KEY = "refreshToken";

/// A player's token.
export interface KeptToken {
  playerId: string;
  token: string;
}

/// The token that was kept last; null without one, or where the browser keeps no database.
export async function readToken(): Promise<KeptToken | null> {
  const found = await transact("readonly", (store) => store.get(KEY) as IDBRequest<KeptToken | undefined>).catch(() => undefined);
  return found ?? null;
}

/// Keeps a token, or forgets it. Done when every other tab would read it.
export async function keepToken(kept: KeptToken | null): Promise<void> {
  const work = (store: IDBObjectStore): IDBRequest => (kept === null ? store.delete(KEY) : store.put(kept, KEY));
  await transact("readwrite", work).catch(() => undefined);
}

async function transact<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("the database is blocked"));
  });
}
