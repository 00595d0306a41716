//! Test clocks: a time of their own for some customers.

use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;
use crate::stripe::state::TestClock;
use crate::stripe::wire;
use crate::stripe::world::World;

/// Two years: as far as Stripe moves a clock that has yearly prices on it.
const FARTHEST: i64 = 2 * 366 * 86_400;

pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&["frozen_time", "name"])?;
    let frozen = desk.params.time("frozen_time")?;
    let clock = TestClock {
        name: desk.params.text("name")?,
        created: desk.world.now(),
        frozen_time: frozen.ok_or_else(|| ApiError::missing("frozen_time"))?,
    };
    let id = desk.world.ids.make("clock");
    desk.world.state.test_clocks.insert(id.clone(), clock);
    show(desk.world, &id)
}

pub fn get(desk: &mut Desk<'_>) -> Answer {
    show(desk.world, &desk.id())
}

pub fn list(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&lists::PAGING)?;
    let wire = desk.world.wire();
    lists::list(
        &desk.params,
        ("test clock", "/v1/test_helpers/test_clocks"),
        &desk.world.state.test_clocks,
        |clock| clock.created,
        |_, _| true,
        |id, clock| wire.test_clock(id, clock),
    )
}

/// Moves a clock. The answer says that it is on its way, and by the next call it is there.
pub fn advance(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&["frozen_time"])?;
    let (id, to) = (desk.id(), desk.params.time("frozen_time")?);
    let to = to.ok_or_else(|| ApiError::missing("frozen_time"))?;
    let clock = desk
        .world
        .state
        .test_clocks
        .get_mut(&id)
        .ok_or_else(|| missing(&id))?;
    if to <= clock.frozen_time || to - clock.frozen_time > FARTHEST {
        let message = "A test clock moves forward, and by two years at most.";
        return Err(desk.params.wrong("frozen_time", message));
    }
    clock.frozen_time = to;
    desk.world.quiet_until = 0;
    let now_ms = desk.world.now_ms;
    desk.world.catch_up(now_ms);
    let mut answer = show(desk.world, &id)?;
    answer["status"] = "advancing".into();
    Ok(answer)
}

/// Deletes a clock and the customers on it.
pub fn delete(desk: &mut Desk<'_>) -> Answer {
    let id = desk.id();
    if !desk.world.state.test_clocks.contains_key(&id) {
        return Err(missing(&id));
    }
    let customers = desk.world.state.customers.iter();
    let bound = customers.filter(|(_, own)| own.test_clock.as_ref() == Some(&id) && !own.deleted);
    let bound: Vec<String> = bound.map(|(customer, _)| customer.clone()).collect();
    for customer in bound {
        desk.world.delete_customer(&customer);
    }
    desk.world.state.test_clocks.remove(&id);
    Ok(wire::deleted(&id, "test_helpers.test_clock"))
}

fn missing(id: &str) -> ApiError {
    ApiError::no_such("test clock", id, "id")
}

fn show(world: &World, id: &str) -> Answer {
    let found = world.state.test_clocks.get(id).ok_or_else(|| missing(id))?;
    Ok(world.wire().test_clock(id, found))
}
