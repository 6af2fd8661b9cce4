// Icons, drawn here: a font may not have the signs.

const PATHS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  on: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  flip: "M8 20V6M4 10l4-5 4 5M16 4v14M12 14l4 5 4-5",
  menu: "M4 6h16M4 12h16M4 18h16",
  flag: "M6 21V4M6 4h12l-3 4 3 4H6",
} as const;

/// One of them; its button says what it does.
export function Icon(props: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[props.name]} />
    </svg>
  );
}
