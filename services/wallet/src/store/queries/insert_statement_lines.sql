-- Lines of statements, in their order. The time is that of the transaction, the same for both players of a game.
insert into statement_lines (player_id, transfer_id, recorded_at, available_change, held_change, available_after,
                             match_id, game_id, fee, kind, currency)
select l.player_id, l.transfer_id, now(), l.available_change, l.held_change, l.available_after,
       l.match_id, l.game_id, l.fee, l.kind, l.currency
from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::uuid[], $7::uuid[], $8::bigint[],
            $9::smallint[], $10::text[])
         with ordinality as l (player_id, transfer_id, available_change, held_change, available_after,
                               match_id, game_id, fee, kind, currency, place)
order by l.place
