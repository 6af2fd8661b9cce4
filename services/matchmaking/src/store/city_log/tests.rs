//! MATCH-10: the bytes of every stored event, pinned. A change here means that logs written before cannot be read any more;
//! a new shape of an event needs a new schema number and a constant of its own, and these stay.

use super::*;

const CITY_CREATED_1: &str = "\
    0a056b6f656c6e122d0a054bc3b66c6e120808f403120358504c18fa01220708a0fe0a10d00f220408c0cf242a0608b00910\
    e00330011801220b6669727374207374617274";
const CITY_UPDATED_1: &str = "\
    0a056b6f656c6e122d0a054bc3b66c6e120808f403120358504c18fa01220708a0fe0a10d00f220408c0cf242a0608b00910\
    e00330011a06707269636573";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn city(version: Version) -> City {
    let terms = Terms { stake_minor_units: 500, currency: "XPL".to_owned(), fee_basis_points: 250 };
    let settings = Settings {
        name: "Köln".to_owned(),
        terms,
        time_controls: vec![
            TimeControl::minutes_plus_seconds(3, 2),
            TimeControl::minutes_plus_seconds(10, 0),
        ],
        open_hours: Some(OpenHours { opens_minute: 1_200, closes_minute: 480 }),
        is_enabled: true,
    };
    City { id: "koeln".to_owned(), version, time_scale: 1, settings }
}

// MATCH-10
#[test]
fn every_stored_event_has_the_bytes_it_always_had() {
    let created = CityEvent::of(&city(0), "first start");
    let updated = CityEvent::of(&city(1), "prices");
    assert_eq!((created.name(), hex(&created.encode()).as_str()), ("CityCreated", CITY_CREATED_1));
    assert_eq!((updated.name(), hex(&updated.encode()).as_str()), ("CityUpdated", CITY_UPDATED_1));
}

#[test]
fn settings_come_back_from_an_event_as_they_went_in() {
    for event in [CityEvent::of(&city(0), "a"), CityEvent::of(&city(1), "b")] {
        let read = CityEvent::decode(event.name(), &event.encode()).expect("it was just encoded");
        assert_eq!(read, event);
        let (CityEvent::Created(CityCreated { settings, .. })
        | CityEvent::Updated(CityUpdated { settings, .. })) = read;
        assert_eq!(settings.as_ref().and_then(settings_from_wire), Some(city(0).settings));
    }
}
