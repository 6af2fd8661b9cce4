// Builds the client into dist/: generated code, one script a page with shared parts split off, one style sheet, all with
// the hash of their content in the name, and compressed forms beside them. Says what the game page weighs and fails when
// that is over the budget.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

import { STANDING_RATIO, turned } from "./pieces.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
/// What a person loads, compressed by gzip, to see a game the first time.
const GAME_PAGE_BYTES_MAX = 200 * 1024;
/// Smaller files are not worth a compressed form.
const COMPRESS_FROM_BYTES = 1024;

/// The pieces as style rules: chessground's, and the same figures in ivory and walnut.
function pieces() {
  const css = readFileSync(join(here, "node_modules/@lichess-org/chessground/assets/chessground.cburnett.css"), "utf8");
  const rule = /piece\.(\w+)\.(white|black) \{\s*background-image: url\('data:image\/svg\+xml;base64,([^']+)'\)/g;
  const rules = [];
  for (const [, role, color, encoded] of css.matchAll(rule)) {
    const svg = Buffer.from(encoded, "base64").toString();
    const ivory =
      color === "white"
        ? svg.replaceAll("#fff", "#fdf3de").replaceAll("#000", "#4c3826")
        : svg.replace("<svg ", '<svg fill="#6a4a33" ').replaceAll('fill="#000"', 'fill="#6a4a33"').replaceAll("#000", "#2c1c10").replaceAll("#ececec", "#f3dfbf");
    const selector = (prefix) => `${prefix}.cg-wrap piece.${role}.${color}, ${prefix}.figure.${role}.${color}`;
    const image = (text) => `background-image: url("data:image/svg+xml,${encodeURIComponent(text).replaceAll("'", "%27")}")`;
    rules.push(`${selector("")} { ${image(svg)} }`, `${selector('[data-pieces="ivory"] ')} { ${image(ivory)} }`);
  }
  if (rules.length !== 24) throw new Error(`expected 12 pieces, found ${rules.length / 2}`);
  return rules.join("\n");
}

/// The pieces turned here, for the flat board and for the one in space. Loaded by whoever has chosen one of them.
function turnedPieces() {
  const image = (svg) => `background-image: url("data:image/svg+xml,${encodeURIComponent(svg).replaceAll("'", "%27")}")`;
  const { flat, standing } = turned();
  const rules = [`:root { --standing-ratio: ${STANDING_RATIO}; }`];
  for (const [name, svg] of Object.entries(flat)) {
    rules.push(`[data-pieces="turned"] .cg-wrap piece.${name}, [data-pieces="turned"] .figure.${name} { ${image(svg)} }`);
  }
  for (const [name, svg] of Object.entries(standing)) {
    rules.push(`[data-view="space"] .board .cg-wrap piece.${name} { ${image(svg)} }`);
  }
  return rules.join("\n");
}

function compress(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) compress(path);
    else if (statSync(path).size >= COMPRESS_FROM_BYTES && /\.(js|css|html|svg)$/.test(name)) {
      const plain = readFileSync(path);
      writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
      writeFileSync(`${path}.br`, brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
    }
  }
}

/// Everything that the scripts of some outputs import, themselves included, without what they load later.
function closure(outputs, names) {
  const seen = new Set();
  const visit = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const next of outputs[name].imports) if (next.kind === "import-statement") visit(next.path);
  };
  names.forEach(visit);
  return [...seen];
}

execFileSync(join(here, "node_modules/.bin/buf"), ["generate"], { cwd: here, stdio: "inherit" });
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(here, ".build"), { recursive: true });
const board = readFileSync(join(here, "node_modules/@lichess-org/chessground/assets/chessground.base.css"), "utf8");
const sheets = ["base", "board", "pages", "console"].map((name) => readFileSync(join(here, `src/styles/${name}.css`), "utf8"));
writeFileSync(join(here, ".build/app.css"), [board, pieces(), ...sheets].join("\n"));
writeFileSync(join(here, ".build/turned.css"), turnedPieces());

const result = await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.tsx", style: ".build/app.css", turned: ".build/turned.css" },
  outdir: "dist/assets",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  metafile: true,
  legalComments: "none",
  charset: "utf8",
  logLevel: "warning",
});

const outputs = result.metafile.outputs;
const entry = (source) => Object.keys(outputs).find((name) => outputs[name].entryPoint === source);
const app = entry("src/main.tsx");
const style = entry(".build/app.css");
const pages = Object.keys(outputs).filter((name) => outputs[name].entryPoint?.startsWith("src/pages/"));
// Clients of single services are read by the pages that use them, and are there by then.
const clients = Object.keys(outputs).filter((name) => Object.keys(outputs[name].inputs).some((input) => input.startsWith("src/wire/clients/")));
const preloads = [...new Set([...closure(outputs, [app]), ...clients])].filter((name) => name !== app && !pages.includes(name));
const url = (name) => `/${name.replace(/^dist\//, "")}`;
const turnedSheet = entry(".build/turned.css");
const head = [
  `<meta name="turned-pieces" content="${url(turnedSheet)}" />`,
  `<link rel="stylesheet" href="${url(style)}" />`,
  ...preloads.map((name) => `<link rel="modulepreload" href="${url(name)}" />`),
  `<script type="module" src="${url(app)}"></script>`,
].join("\n    ");
const html = readFileSync(join(here, "index.html"), "utf8").replace(/<!-- styles and scripts.*-->/, head);
writeFileSync(join(dist, "index.html"), html);
copyFileSync(join(here, "favicon.svg"), join(dist, "favicon.svg"));
compress(dist);

const game = [...closure(outputs, [app, entry("src/pages/game.tsx")]), style];
const weights = game.map((name) => gzipSync(readFileSync(join(here, name)), { level: 9 }).length);
const total = weights.reduce((sum, bytes) => sum + bytes, 0) + gzipSync(html).length;
console.log(`web: built; the game page weighs ${(total / 1024).toFixed(1)} KiB compressed (budget ${GAME_PAGE_BYTES_MAX / 1024})`);
if (total > GAME_PAGE_BYTES_MAX) {
  console.error("web: that is over the budget");
  process.exit(1);
}
writeFileSync(join(here, ".build/sizes.json"), JSON.stringify({ gamePageBytes: total, gamePageBytesMax: GAME_PAGE_BYTES_MAX }));
