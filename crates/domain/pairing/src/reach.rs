//! The search structure of a pass: who is nearest below a rating among those whose window reaches up to it.
//!
//! Tickets stand in a row by their coordinate; a tree over the row holds, for each stretch of it, the highest point that
//! anybody in it reaches. The nearest one below that reaches a given point is found by climbing from the asker's place to
//! the first stretch that reaches far enough, and descending into it. A ticket that is taken stops reaching anything.
//!
//! The same structure over mirrored coordinates finds the nearest one above.

/// A ticket as the structure sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The rating, or its mirror image.
    pub(crate) coordinate: i64,
    /// How far the window goes.
    pub(crate) window: i64,
    /// Among equal coordinates the highest precedence is found first.
    pub(crate) precedence: usize,
}

/// Who is nearest at or below a coordinate.
#[derive(Debug)]
pub(crate) struct Reach {
    /// The tickets, in the order of the row.
    ticket_at: Vec<usize>,
    /// The place of each ticket in the row.
    place_of: Vec<usize>,
    /// The coordinate of each place.
    coordinate_at: Vec<i64>,
    /// A complete binary tree: node `i` has the children `2i` and `2i + 1`, the leaves begin at `leaves`.
    highest: Vec<i64>,
    leaves: usize,
}

/// What a place that is taken, or was never there, reaches.
const NOTHING: i64 = i64::MIN;

impl Reach {
    pub(crate) fn new(places: &[Place]) -> Self {
        let mut ticket_at: Vec<usize> = (0..places.len()).collect();
        ticket_at.sort_unstable_by_key(|&ticket| {
            let place = &places[ticket];
            (place.coordinate, place.precedence)
        });
        let leaves = places.len().next_power_of_two();
        let mut highest = vec![NOTHING; 2 * leaves];
        let mut place_of = vec![0; places.len()];
        let mut coordinate_at = Vec::with_capacity(places.len());
        for (at, &ticket) in ticket_at.iter().enumerate() {
            let place = &places[ticket];
            place_of[ticket] = at;
            coordinate_at.push(place.coordinate);
            highest[leaves + at] = place.coordinate + place.window;
        }
        for node in (1..leaves).rev() {
            highest[node] = highest[2 * node].max(highest[2 * node + 1]);
        }
        Self { ticket_at, place_of, coordinate_at, highest, leaves }
    }

    /// Takes a ticket out.
    pub(crate) fn remove(&mut self, ticket: usize) {
        let mut node = self.leaves + self.place_of[ticket];
        self.highest[node] = NOTHING;
        while node > 1 {
            node /= 2;
            let highest = self.highest[2 * node].max(self.highest[2 * node + 1]);
            if self.highest[node] == highest {
                return;
            }
            self.highest[node] = highest;
        }
    }

    /// The tickets before `ticket` in the row whose window reaches it, nearest first.
    pub(crate) fn below(&self, ticket: usize) -> Below<'_> {
        let from = self.place_of[ticket];
        Below { reach: self, coordinate: self.coordinate_at[from], before: from }
    }

    /// The last place before `before` that reaches `coordinate`.
    fn last_reaching(&self, before: usize, coordinate: i64) -> Option<usize> {
        let mut node = self.leaves + before;
        // Climb until there is a stretch to the left, beside the path, that reaches far enough.
        loop {
            if node <= 1 {
                return None;
            }
            let is_right_child = node % 2 == 1;
            if is_right_child && self.highest[node - 1] >= coordinate {
                node -= 1;
                break;
            }
            node /= 2;
        }
        while node < self.leaves {
            let right = 2 * node + 1;
            node = if self.highest[right] >= coordinate { right } else { right - 1 };
        }
        Some(node - self.leaves)
    }
}

/// A ticket that was found. Nearer ones are less; among equally near ones the smaller number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Near {
    pub(crate) distance: i64,
    pub(crate) ticket: usize,
}

/// See [`Reach::below`].
#[derive(Debug)]
pub(crate) struct Below<'a> {
    reach: &'a Reach,
    coordinate: i64,
    before: usize,
}

impl Iterator for Below<'_> {
    type Item = Near;

    fn next(&mut self) -> Option<Near> {
        let place = self.reach.last_reaching(self.before, self.coordinate)?;
        self.before = place;
        Some(Near {
            distance: self.coordinate - self.reach.coordinate_at[place],
            ticket: self.reach.ticket_at[place],
        })
    }
}
