// Runs the tests of one kind: `unit` without anything else, `journeys` in real browsers on a stack of their own.
//
//   node test/run.mjs unit|journeys|shots [name-of-file…]
//
// A stack that runs already is used when STAKEMATE_EDGE names its address.

import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tmpdir } from "node:os";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const READY_MS_MAX = 180_000;
const STOP_MS_MAX = 60_000;

const [kind = "unit", ...names] = process.argv.slice(2);
const files = await compile(kind, names);
let stack = null;
if (kind !== "unit" && process.env.STAKEMATE_EDGE === undefined) {
  stack = await startStack();
  process.env.STAKEMATE_EDGE = stack.edge;
  // Some journeys begin with what only a fault or many games bring about, and put it into the databases.
  process.env.STAKEMATE_STACK_DATA = stack.data;
}
const runs = kind === "shots" ? files.map((file) => [file]) : [["--test", "--test-concurrency=1", "--test-reporter=spec", ...files]];
let status = 0;
for (const run of runs) {
  status ||= await ended(spawn(process.execPath, ["--enable-source-maps", ...run], { stdio: "inherit" }));
}
if (stack !== null) await stack.stop();
process.exit(status);

/// Bundles the chosen test files into JavaScript that this Node can run.
async function compile(folder, wanted) {
  const all = readdirSync(join(here, folder)).filter((name) => name.endsWith(".ts")).sort();
  const chosen = all.filter((name) => wanted.length === 0 || wanted.some((one) => name.includes(one)));
  const outdir = join(here, "../.build/test", folder);
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: chosen.map((name) => join(here, folder, name)),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: false,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: "inline",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  });
  return chosen.map((name) => join(outdir, name.replace(/\.ts$/, ".mjs")));
}

/// `stakemate dev` on a free port, with data of its own, serving dist/.
async function startStack() {
  const memory = "/dev/shm";
  const data = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "stakemate-web-"));
  // Root's servers run as another account, which has to get through.
  chmodSync(data, 0o711);
  const port = await freePort();
  const program = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), process.env.STAKEMATE_PROFILE_FOLDER ?? "debug", "stakemate");
  const child = spawn(program, ["--data", data, "dev", "--port", String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: root,
    env: {
      ...process.env,
      STAKEMATE_WEB_ROOT: join(here, "../dist"),
      // Few nodes: what the engine finds is tested where the engine is.
      STAKEMATE_FAIRPLAY_NODES: "500",
      // Traces are recorded and sent to nobody: what a console shows of them is their ids.
      STAKEMATE_OTLP_ENDPOINT: "http://127.0.0.1:9",
      STAKEMATE_TRACE_URL: "https://traces.example/trace/{trace_id}",
      // Every journey signs players up from one address.
      STAKEMATE_RATE_SIGN_INS_PER_MINUTE: "100000",
      STAKEMATE_RATE_SIGN_INS_BURST: "1000",
    },
  });
  const edge = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("the stack is not ready")), READY_MS_MAX);
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
      const ready = /^ready (http\S+)$/m.exec(text);
      if (ready === null) return;
      clearTimeout(late);
      resolve(ready[1]);
    });
    child.on("exit", (code) => reject(new Error(`the stack ended with ${code}: build it with cargo build --workspace --bins`)));
  });
  const stop = async () => {
    child.kill("SIGINT");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
    await ended(child);
    clearTimeout(late);
    rmSync(data, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop().then(() => process.exit(130)));
  return { edge, data, stop };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function ended(child) {
  return child.exitCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}
