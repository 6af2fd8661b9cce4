//! The curve of found players against suspected people, as a picture.

use std::fmt::Write as _;

use domain_fairplay::calibration::Calibration;

use crate::pools::Pools;
use crate::trial::{Draw, Seeded, combined, count, groups, measure};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 480.0;
const MARGIN: f64 = 56.0;
const GROUPS: usize = 4_000;
/// The least share of suspected people that is drawn; the axis is logarithmic.
const LEAST: f64 = 0.001;
const COLORS: [&str; 9] =
    ["#1b6ca8", "#c0392b", "#27803b", "#8e44ad", "#c77700", "#16808a", "#6b4f2a", "#555555", "#d0548c"];

/// The curves of all kinds for players with `size` games, as SVG.
#[must_use]
pub fn svg(calibration: &Calibration, pools: &Pools<'_>, size: usize) -> String {
    let mut seeded = Seeded::new(3_000 + size as u64);
    let mut scores = |pool: &[&domain_fairplay::evidence::Evidence]| -> Vec<f64> {
        let mut scores: Vec<f64> = groups(pool, size, GROUPS, Draw::WithReplacement, &mut seeded)
            .iter()
            .map(|games| combined(&measure(calibration, games)))
            .collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores
    };
    let humans = scores(&pools.human);
    let mut out = frame(size);
    for (index, (kind, pool)) in pools.helped.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let points = curve(&humans, &scores(pool));
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{points}\"/>"
        );
        let y = MARGIN + 18.0 * count(index);
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{y:.0}\" fill=\"{color}\" font-size=\"12\">{kind}</text>",
            WIDTH + 8.0
        );
    }
    out + "</svg>\n"
}

fn frame(size: usize) -> String {
    let (right, bottom) = (WIDTH - 8.0, HEIGHT - MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {HEIGHT:.0}\" font-family=\"sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN:.0}\" y=\"28\" font-size=\"15\">Players with {size} games: found against people suspected</text>\n\
         <path d=\"M{MARGIN:.0} {MARGIN:.0}V{bottom:.0}H{right:.0}\" fill=\"none\" stroke=\"black\"/>\n",
        WIDTH + 170.0
    );
    for share in [0.001, 0.01, 0.1, 1.0] {
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" font-size=\"12\" text-anchor=\"middle\">{share}</text>",
            x(share),
            bottom + 18.0
        );
    }
    for share in [0.0, 0.5, 1.0] {
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" font-size=\"12\" text-anchor=\"end\">{share}</text>",
            MARGIN - 6.0,
            y(share) + 4.0
        );
    }
    out
}

/// The points of a curve; both lists fall.
fn curve(humans: &[f64], helped: &[f64]) -> String {
    let mut points = String::new();
    let mut at = 0;
    for (suspected, threshold) in humans.iter().enumerate() {
        while helped.get(at).is_some_and(|score| score > threshold) {
            at += 1;
        }
        let share = count(suspected) / count(humans.len());
        if suspected % 8 == 0 && share >= LEAST {
            let _ = write!(points, "{:.1},{:.1} ", x(share), y(count(at) / count(helped.len())));
        }
    }
    points
}

fn x(share: f64) -> f64 {
    MARGIN + (WIDTH - 8.0 - MARGIN) * (1.0 - share.max(LEAST).log10() / LEAST.log10())
}

fn y(share: f64) -> f64 {
    HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * share
}
