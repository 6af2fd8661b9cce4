use super::*;

type Nothing = Result<(), std::io::Error>;

#[tokio::test]
async fn tasks_that_end_after_the_stop_are_no_failure() {
    let shutdown = CancellationToken::new();
    let mut tasks = Tasks::new(shutdown.clone());
    tasks.spawn("relay", shutdown.clone().cancelled_owned());
    let stop = shutdown.clone();
    tasks.spawn("consumer", async move {
        stop.cancelled().await;
        Nothing::Ok(())
    });
    shutdown.cancel();
    assert!(tasks.join().await.is_ok());
}

#[tokio::test]
async fn a_task_that_ends_early_stops_the_others_and_is_named() {
    let shutdown = CancellationToken::new();
    let mut tasks = Tasks::new(shutdown.clone());
    tasks.spawn("consumer", shutdown.clone().cancelled_owned());
    tasks.spawn("relay", async { Nothing::Err(std::io::ErrorKind::BrokenPipe.into()) });
    let ended = tasks.join().await.expect_err("the relay ended");
    assert!(ended.to_string().starts_with("task relay ended before the stop: broken pipe"), "{ended}");
}

#[tokio::test]
async fn a_panic_and_a_mere_return_are_noticed_too() {
    for returns in [None, Some(())] {
        let mut tasks = Tasks::new(CancellationToken::new());
        tasks.spawn("relay", async move { returns.expect("as the test wants it") });
        assert!(tasks.join().await.is_err());
    }
}
