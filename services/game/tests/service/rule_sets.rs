//! What is told of the rule sets.

use proto::{game::v1 as pb, types::v1::TimeControl};

use crate::harness::Stand;

fn control(base_ms: i64, increment_ms: i64) -> TimeControl {
    TimeControl { base_ms, increment_ms }
}

async fn told(stand: &Stand) -> Vec<pb::RuleSet> {
    let told = stand.caller().client.clone().list_rule_sets(pb::ListRuleSetsRequest {}).await;
    told.expect("anybody may ask").into_inner().rule_sets
}

#[tokio::test]
async fn anybody_is_told_what_each_of_the_five_rule_sets_says() {
    let stand = Stand::start("rule_sets").await;
    let sets = told(&stand).await;
    let names: Vec<_> = sets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["city", "table", "match", "solo", "fide"]);
    let [city, table, friendly, solo, fide] = sets.as_slice() else { panic!("five sets") };

    assert_eq!(city.time_controls, [control(180_000, 2_000), control(300_000, 0), control(600_000, 0)]);
    assert_eq!((city.first_move_due_ms, city.gone_timed_ms, city.draw_offers_max), (20_000, 60_000, Some(3)));
    assert_eq!(city.lag_credit.as_ref().map(|credit| credit.per_move_ms_max), Some(1_000));
    assert!(city.staked && !city.at_tables && !city.untimed);

    assert_eq!(table.time_controls, [control(180_000, 2_000), control(600_000, 5_000)]);
    assert_eq!((table.flag(), table.resignation()), (pb::MatingRule::F2, pb::MatingRule::F2));
    assert_eq!((table.draw_offer_first_after_moves, table.draw_offer_moves_between), (1, 5));
    assert_eq!((table.gone_untimed_rated_ms, table.leaving_table_loses), (180_000, true));

    assert!(friendly.any_time_control && friendly.untimed && friendly.time_controls.is_empty());
    assert_eq!((friendly.flag(), friendly.rating()), (pb::MatingRule::F3, pb::RatingPolicy::Never));

    assert!(!solo.any_time_control && solo.untimed && solo.time_controls.is_empty());
    assert_eq!(
        (solo.flag(), solo.insufficient_material()),
        (pb::MatingRule::Unspecified, pb::MaterialRule::M2)
    );
    assert_eq!(solo.colors(), pb::ColorPolicy::PlayersChoice);

    assert_eq!((fide.draws(), fide.rating()), (pb::DrawsSetting::ByClaim, pb::RatingPolicy::Chosen));
    let by_claim = sets.iter().filter(|set| set.draws() == pb::DrawsSetting::ByClaim).count();
    assert_eq!(by_claim, 1, "the others end by themselves");
}

#[tokio::test]
async fn a_game_says_what_a_player_of_it_has_to_know_of_its_rules() {
    let stand = Stand::start("rule_sets_game").await;
    for (rules, draws, leaving_table_loses) in
        [("fide", pb::DrawsSetting::ByClaim, false), ("table", pb::DrawsSetting::Automatic, true)]
    {
        let at = stand.table_of(rules, Some(control(180_000, 2_000))).await;
        let game = stand.caller().game(at.game_id).await;
        assert_eq!((game.draws(), game.leaving_table_loses), (draws, leaving_table_loses), "{rules}");
        assert_eq!(game.first_move_due_ms, 0, "White's clock starts with the game");
    }
    let city = stand.caller().game(stand.table().await.game_id).await;
    assert_eq!((city.first_move_due_ms, city.leaving_table_loses), (20_000, false));
}
