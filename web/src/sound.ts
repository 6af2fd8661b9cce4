// Short sounds, made here: no file is loaded.

import { settings } from "./settings.ts";

let context: AudioContext | null = null;

const TONES = {
  move: [[320, 0.045]],
  capture: [[220, 0.05], [170, 0.05]],
  check: [[520, 0.06], [660, 0.07]],
  end: [[440, 0.1], [330, 0.1], [262, 0.18]],
  low: [[880, 0.05], [880, 0.05]],
} as const;

/// Which sounds there are.
export type Sound = keyof typeof TONES;

/// Plays one, if the person wants sounds and the browser allows them.
export function play(sound: Sound): void {
  if (!settings.value.sound || typeof AudioContext === "undefined") return;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume().catch(() => undefined);
  if (context.state !== "running") return;
  let at = context.currentTime;
  for (const [hertz, seconds] of TONES[sound]) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = "triangle";
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.16, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + seconds);
    at += seconds + 0.03;
  }
}
