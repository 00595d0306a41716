//! Pictures.

use emulator::{Fault, FaultKind};

use super::world::{BRUNO, GUILD, discord};
use crate::support::get;

const ICON: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn pictures_are_served_under_their_hash() {
    let test = discord().await;
    test.discord
        .change(|state| {
            state.guilds.get_mut(&GUILD).unwrap().icon = Some(ICON.to_owned());
            state.users.get_mut(&BRUNO).unwrap().avatar = Some("bruno".to_owned());
        })
        .unwrap();
    let base = test.discord.cdn_url();
    let png = get(&format!("{base}/icons/{GUILD}/{ICON}.png?size=64")).await;
    assert_eq!((png.status, png.header("content-type")), (200, Some("image/png")));
    assert_eq!(png.body[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(png.body[16..24], [0, 0, 0, 64, 0, 0, 0, 64]);
    let webp = get(&format!("{base}/avatars/{BRUNO}/bruno.webp")).await;
    assert_eq!(
        (webp.status, webp.header("content-type")),
        (200, Some("image/webp"))
    );
    assert_eq!(
        (&webp.body[..4], &webp.body[8..16]),
        (b"RIFF".as_slice(), b"WEBPVP8L".as_slice())
    );
    assert_eq!(get(&format!("{base}/embed/avatars/3.png")).await.status, 200);
    for (path, status) in [
        (format!("icons/{GUILD}/another.png"), 404),
        (format!("avatars/{GUILD}/bruno.png"), 404),
        ("embed/avatars/6.png".to_owned(), 404),
        (format!("icons/{GUILD}/{ICON}.exe"), 415),
        (format!("icons/{GUILD}/{ICON}.png?size=65"), 400),
    ] {
        assert_eq!(get(&format!("{base}/{path}")).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn a_picture_can_go_wrong_like_any_answer() {
    let test = discord().await;
    let fault = Fault::new("GET /icons/{guild}/{file}", FaultKind::Error500);
    test.discord.hub().add_fault(fault.times(1));
    let url = format!("{}/icons/{GUILD}/{ICON}.png", test.discord.cdn_url());
    assert_eq!(get(&url).await.status, 500);
    assert_eq!(get(&url).await.status, 404);
}
