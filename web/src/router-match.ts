// Patterns of addresses.

/// The parts of a path that match a pattern as `/game/:id`; null when it does not.
export function match(pattern: string, actual: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = actual.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return null;
  const parts: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index]!;
    if (part.startsWith(":") && value !== "") parts[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return parts;
}
