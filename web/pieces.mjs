// Chess pieces drawn by this program: each is turned on a lathe from a profile, but for the knight's head. Seen straight from
// the front they are a set for the flat board, seen from above they stand on the board in space.

/// The two woods: their shades from the left edge to the right one, outline, shine, and the depth of a cut.
const WOODS = {
  white: { shades: ["#a98a5c", "#fff6e0", "#f3e0b8", "#d8bb88", "#947448"], line: "#4a3720", shine: "#ffffff", cut: "#7a5d37" },
  black: { shades: ["#2b1c14", "#94705a", "#6b4835", "#45301f", "#23160e"], line: "#140b07", shine: "#d3ac92", cut: "#140b07" },
};
const STOPS = [0, 0.28, 0.5, 0.78, 1];

/// From the foot up: height and radius; `curve` runs smoothly through its points, `disc` is a ring from one height to another.
const FOOT = [
  { disc: [0, 6, 23] },
  { curve: [[6, 22], [8, 19], [10, 17.5]] },
  { disc: [10, 13, 18] },
];
const PROFILES = {
  pawn: { parts: [...FOOT, { curve: [[13, 16], [18, 11.5], [26, 8], [35, 6.5]] }, { disc: [35, 38.5, 11.5] }, { curve: [[38.5, 7], [40, 6.5]] }, { ball: [49.5, 11.5] }] },
  rook: { parts: [...FOOT, { curve: [[13, 16.5], [20, 13.5], [32, 12], [46, 12.5]] }, { disc: [46, 49, 15.5] }, { curve: [[49, 14.5], [52, 16]] }, { battlements: [52, 64, 17] }] },
  bishop: { parts: [...FOOT, { curve: [[13, 16.5], [20, 11], [32, 7.5], [44, 6.5]] }, { disc: [44, 47, 12.5] }, { disc: [48.5, 51, 10] }, { curve: [[51, 8], [55, 11.5], [61, 12], [67, 9.5], [73, 4]] }, { ball: [76, 3.6] }, { slit: true }] },
  queen: { parts: [...FOOT, { curve: [[13, 17], [22, 11], [36, 7.5], [52, 7]] }, { disc: [52, 55, 13] }, { disc: [56.5, 58.5, 10.5] }, { curve: [[58.5, 8.5], [66, 10], [74, 14.5]] }, { crown: [74, 80, 14.5] }, { ball: [84, 4] }] },
  king: { parts: [...FOOT, { curve: [[13, 17.5], [22, 12], [37, 8.5], [55, 8]] }, { disc: [55, 58.5, 14] }, { disc: [60, 62, 11.5] }, { curve: [[62, 9.5], [70, 11], [78, 14.5]] }, { disc: [78, 80, 15] }, { curve: [[80, 14], [83, 9], [84.5, 4]] }, { cross: [84, 98] }] },
  knight: { parts: [...FOOT, { disc: [13, 17, 16.5] }, { head: 17 }] },
};

/// How high the drawing is, in parts of its width.
export const STANDING_RATIO = 1.5;

/// All pieces as SVG: `flat` for the board from above, `standing` for the one in space, each by role and colour.
export function turned() {
  const set = { flat: {}, standing: {} };
  for (const [role, profile] of Object.entries(PROFILES)) {
    for (const color of ["white", "black"]) {
      set.flat[`${role}.${color}`] = drawn(profile, WOODS[color], { tilt: 0, height: 100, ground: 95, scale: [1.62, 0.93] });
      set.standing[`${role}.${color}`] = drawn(profile, WOODS[color], { tilt: 0.3, height: 100 * STANDING_RATIO, ground: 131, scale: [1.42, 1.2] });
    }
  }
  return set;
}

function drawn(profile, wood, view) {
  const [wide, high] = view.scale;
  const x = (radius) => (50 + radius * wide).toFixed(1);
  const y = (height) => (view.ground - height * high).toFixed(1);
  const shape = { wood, view, wide, high, x, y, deep: (radius) => Math.max(0.01, radius * wide * view.tilt).toFixed(1), long: (radius) => (radius * wide).toFixed(1) };
  const shadow = view.tilt > 0 ? `<ellipse cx="54" cy="${y(1)}" rx="37" ry="${(37 * view.tilt).toFixed(1)}" fill="url(#s)"/>` : "";
  const body = profile.parts.map((part) => drawPart(part, shape)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 ${view.height}">${defs(wood)}${shadow}<g stroke="${wood.line}" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round" fill="url(#b)">${body}</g></svg>`;
}

function defs(wood) {
  const stops = wood.shades.map((shade, index) => `<stop offset="${STOPS[index]}" stop-color="${shade}"/>`).join("");
  return (
    `<defs><linearGradient id="b">${stops}</linearGradient>` +
    `<radialGradient id="r" cx=".36" cy=".3" r=".75"><stop offset="0" stop-color="${wood.shine}"/><stop offset=".3" stop-color="${wood.shades[1]}"/><stop offset=".7" stop-color="${wood.shades[3]}"/><stop offset="1" stop-color="${wood.shades[4]}"/></radialGradient>` +
    `<linearGradient id="t" x1="0" x2="1" y1="0" y2=".4"><stop offset="0" stop-color="${wood.shades[1]}"/><stop offset="1" stop-color="${wood.shades[3]}"/></linearGradient>` +
    `<radialGradient id="s"><stop offset=".3" stop-opacity=".45"/><stop offset="1" stop-opacity="0"/></radialGradient></defs>`
  );
}

function drawPart(part, shape) {
  const { x, y, wood } = shape;
  if (part.disc) return disc(part.disc, shape);
  if (part.curve) return curve(part.curve, shape);
  if (part.ball) return ball(part.ball, shape);
  if (part.battlements) return battlements(part.battlements, shape);
  if (part.crown) return crown(part.crown, shape);
  if (part.slit) return `<path d="M${x(2)} ${y(71)}L${x(8)} ${y(62)}" stroke="${wood.cut}" stroke-width="2.6" fill="none"/>`;
  if (part.cross) return cross(part.cross, shape);
  return horse(part.head, shape);
}

/// A ring: its side, and from above the top of it.
function disc([from, to, radius], { x, y, deep, long, view }) {
  const side = `M${x(-radius)} ${y(from)}A${long(radius)} ${deep(radius)} 0 0 0 ${x(radius)} ${y(from)}L${x(radius)} ${y(to)}A${long(radius)} ${deep(radius)} 0 0 1 ${x(-radius)} ${y(to)}Z`;
  const top = view.tilt > 0 ? `<ellipse cx="50" cy="${y(to)}" rx="${long(radius)}" ry="${deep(radius)}" fill="url(#t)" stroke-width=".8"/>` : "";
  return `<path d="${side}"/>${top}`;
}

/// A smooth stretch through its points, mirrored.
function curve(points, shape) {
  const { x, y, deep, long } = shape;
  const right = points.map(([height, radius]) => [Number(x(radius)), Number(y(height))]);
  const left = points.map(([height, radius]) => [Number(x(-radius)), Number(y(height))]).reverse();
  const first = points[0][1];
  const last = points.at(-1)[1];
  return (
    `<path d="M${x(-first)} ${y(points[0][0])}A${long(first)} ${deep(first)} 0 0 0 ${right[0].join(" ")}${through(right)}` +
    `A${long(last)} ${deep(last)} 0 0 1 ${left[0].join(" ")}${through(left)}Z"/>`
  );
}

/// Catmull and Rom's spline as Bézier curves.
function through(points) {
  let path = "";
  for (let index = 0; index + 1 < points.length; index += 1) {
    const [before, from, to, after] = [points[Math.max(0, index - 1)], points[index], points[index + 1], points[Math.min(points.length - 1, index + 2)]];
    const one = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6];
    const two = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6];
    path += `C${[...one, ...two, ...to].map((value) => value.toFixed(1)).join(" ")}`;
  }
  return path;
}

function ball([height, radius], { y, long }) {
  return `<circle cx="50" cy="${y(height)}" r="${long(radius)}" fill="url(#r)"/>`;
}

/// A rook's top: a wall, cut three times.
function battlements([from, to, radius], shape) {
  const { x, y, deep, long, view, wood } = shape;
  const wall = from + (to - from) * 0.5;
  const inside = view.tilt > 0 ? `<ellipse cx="50" cy="${y(to - 1)}" rx="${long(radius)}" ry="${deep(radius)}" fill="${wood.shades[3]}"/><ellipse cx="50" cy="${y(to - 2)}" rx="${long(radius * 0.68)}" ry="${deep(radius * 0.68)}" fill="${wood.cut}" stroke="none"/>` : "";
  const merlon = ([left, right]) => {
    const bulge = (at) => Math.sqrt(Math.max(0, 1 - (at / radius) ** 2)) * Number(deep(radius));
    const foot = Number(y(wall));
    const head = Number(y(to));
    return `<path d="M${x(left)} ${(foot + bulge(left)).toFixed(1)}L${x(left)} ${(head + bulge(left)).toFixed(1)}L${x(right)} ${(head + bulge(right)).toFixed(1)}L${x(right)} ${(foot + bulge(right)).toFixed(1)}Z"/>`;
  };
  const gap = radius * 0.2;
  const stone = (radius * 2 - gap * 2) / 3;
  const merlons = [0, 1, 2].map((index) => [-radius + index * (stone + gap), -radius + index * (stone + gap) + stone]);
  const base = `<path d="M${x(-radius)} ${y(from)}A${long(radius)} ${deep(radius)} 0 0 0 ${x(radius)} ${y(from)}L${x(radius)} ${y(wall)}A${long(radius)} ${deep(radius)} 0 0 1 ${x(-radius)} ${y(wall)}Z"/>`;
  return inside + base + merlons.map(merlon).join("");
}

/// A queen's rim: points all round, and a dome within.
function crown([from, to, radius], shape) {
  const { x, y, deep, long } = shape;
  const dome = `<path d="M${x(-radius * 0.75)} ${y(from + 2)}C${x(-radius * 0.6)} ${y(to + 3)} ${x(radius * 0.6)} ${y(to + 3)} ${x(radius * 0.75)} ${y(from + 2)}Z" fill="url(#r)"/>`;
  const teeth = 5;
  let path = `M${x(-radius)} ${y(from)}`;
  for (let tooth = 0; tooth < teeth; tooth += 1) {
    const left = -radius * 1.12 + (tooth * radius * 2.24) / teeth;
    const right = left + (radius * 2.24) / teeth;
    path += `L${x(left)} ${y(to)}L${x((left + right) / 2)} ${y(from + 2.5)}L${x(right)} ${y(to)}`;
  }
  return `${dome}<path d="${path}L${x(radius)} ${y(from)}A${long(radius)} ${deep(radius)} 0 0 1 ${x(-radius)} ${y(from)}Z"/>`;
}

function cross([from, to], { x, y }) {
  const middle = from + (to - from) * 0.62;
  const [thin, arm] = [2.1, 6.5];
  return `<path d="M${x(-thin * 1.4)} ${y(from)}L${x(-thin)} ${y(middle - 2)}H${x(-arm)}V${y(middle + 2.4)}H${x(-thin)}V${y(to)}H${x(thin)}V${y(middle + 2.4)}H${x(arm)}V${y(middle - 2)}H${x(thin)}L${x(thin * 1.4)} ${y(from)}Z"/>`;
}

/// A horse's head and neck, looking to the left, on the ring at the given height.
function horse(foot, { x, y, wood }) {
  const at = (right, up) => `${x(right)} ${y(foot + up)}`;
  const outline =
    `M${at(-14, 0)}C${at(-15, 9)} ${at(-7, 15)} ${at(-3, 24)}C${at(-7, 22)} ${at(-11, 20)} ${at(-13.5, 17.5)}` +
    `C${at(-16, 15)} ${at(-20, 16.5)} ${at(-20.5, 20)}C${at(-21, 24)} ${at(-18, 28)} ${at(-15.5, 32)}C${at(-13.5, 36)} ${at(-12.5, 40)} ${at(-10, 44)}` +
    `L${at(-10.5, 52)}L${at(-4, 48)}C${at(6, 48)} ${at(14.5, 38)} ${at(15.5, 22)}C${at(16, 13)} ${at(15, 6)} ${at(14, 0)}Z`;
  const mane = `M${at(-2, 43)}C${at(6, 40)} ${at(10, 31)} ${at(10.5, 20)}M${at(-1, 36)}C${at(4, 33)} ${at(6.5, 26)} ${at(6.5, 17)}`;
  const cheek = `M${at(-3, 24)}C${at(-1, 27)} ${at(-0.5, 30)} ${at(-1.5, 33)}`;
  return (
    `<path d="${outline}"/><path d="${mane}" fill="none" stroke="${wood.cut}" stroke-width="1.6"/><path d="${cheek}" fill="none" stroke="${wood.cut}" stroke-width="1.4"/>` +
    `<circle cx="${x(-9)}" cy="${y(foot + 35)}" r="2" fill="${wood.cut}" stroke="${wood.shine}" stroke-width=".6"/><circle cx="${x(-17.5)}" cy="${y(foot + 21.5)}" r="1.2" fill="${wood.cut}" stroke="none"/>`
  );
}
