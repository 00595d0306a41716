use crate::{Fallible, data::*, report::*, seed::seed_sqlite, store::*};
use axum::Router;
use axum::body::Body;
use axum::extract::Request as AxRequest;
use axum::http::Request;
use axum::routing::get;
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::Instant;
fn rnd(x: &mut u64) -> u64 {
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    *x
}
fn batches(name: &str, n: usize, mut one: impl FnMut()) {
    let mut all = Vec::new();
    for _ in 0..n {
        let t = Instant::now();
        for _ in 0..500 {
            one()
        }
        all.push(t.elapsed().as_secs_f64() * 1e6 / 500.0);
    }
    all.sort_by(f64::total_cmp);
    line(&format!(
        "{name:<34} p2 {:6.2} µs  p10 {:6.2}  p50 {:6.2}",
        all[n / 50],
        all[n / 10],
        all[n / 2]
    ));
}
pub async fn run(dir: std::path::PathBuf, n: usize) -> Fallible<bool> {
    let data = Dataset::new(1_000_000);
    let path = dir.join("sqlite/symbolon.db");
    let store = Store::sqlite(&dir);
    if !path.exists() {
        std::fs::create_dir_all(dir.join("sqlite"))?;
        let db = storage::Db::open(store.options(storage::migrate::Migrate::Apply)).await?;
        db.close().await;
        drop(db);
        seed_sqlite(&path, &data)?;
    }
    if let Ok(sql) = std::env::var("EXP_SQL") {
        rusqlite::Connection::open(&path)?.execute_batch(&sql)?;
    }
    let app = store.open().await?;
    let settings = web::Settings {
        public_url: "http://127.0.0.1:1".into(),
        trusted_proxies: Arc::from([]),
        require_tls: false,
        request_timeout: std::time::Duration::from_secs(30),
    };
    let edge = web::service(web::WebState {
        app: app.clone(),
        settings: Arc::new(settings),
    });
    let bare = Router::new().route(
        "/api",
        get(|| async {
            (
                [(axum::http::header::CONTENT_TYPE, "application/json")],
                crate::baseline::BODY,
            )
        }),
    );
    let mut x = 88172645463325252;
    let per = data.links_per_guild;
    let mut pick = move || {
        let l = rnd(&mut x) % (1000 * per);
        ((l / per) as usize, l)
    };
    let db = &app.db;
    let hashes: Vec<_> = data.tenants.iter().map(|t| t.key.hash()).collect();
    let mut p = pick.clone();
    let steams: Vec<_> = (0..1_000_000)
        .map(|l| domain::platform_id::SteamId::parse(&steam_id(l).to_string()))
        .collect::<Result<_, _>>()?;
    batches("resolve(find)", n, || {
        let (t, l) = p();
        let r = storage::keys::resolve(db, &hashes[t], Some(&steams[l as usize])).now_or_never();
        assert!(matches!(r, Some(Ok(Some(k))) if k.linked_discord.is_some()));
    });
    let mut p = pick.clone();
    batches("resolve(count)", n, || {
        let (t, _) = p();
        let r = storage::keys::resolve(db, &hashes[t], None).now_or_never();
        assert!(matches!(r, Some(Ok(Some(_)))));
    });
    let peer = web::serve::Peer("127.0.0.1:5".parse()?);
    let mk = |t: usize, l: u64, find: bool| {
        let uri = if find {
            format!("/api?action=findBySteam&id={}", steam_id(l))
        } else {
            "/api?action=count".to_owned()
        };
        let mut r: AxRequest = Request::builder()
            .uri(uri)
            .header("Host", "127.0.0.1")
            .header("X-API-Key", data.tenants[t].key.expose())
            .body(Body::empty())
            .unwrap_or_default();
        r.extensions_mut().insert(peer);
        r
    };
    batches("build request only", n, || {
        let (t, l) = pick();
        std::hint::black_box(mk(t, l, true));
    });
    let mut p = pick.clone();
    batches("edge find", n, || {
        let (t, l) = p();
        let r = tower_call(edge.clone(), mk(t, l, true));
        assert!(r.status() == 200);
    });
    let mut p = pick.clone();
    batches("edge count", n, || {
        let (t, l) = p();
        let r = tower_call(edge.clone(), mk(t, l, false));
        assert!(r.status() == 200);
    });
    let mut p = pick.clone();
    batches("bare", n, || {
        let (t, l) = p();
        let r = tower_call(bare.clone(), mk(t, l, true));
        assert!(r.status() == 200);
    });
    app.db.close().await;
    Ok(true)
}
fn tower_call<
    S: tower::Service<AxRequest, Response = axum::response::Response, Error = std::convert::Infallible>,
>(
    mut s: S,
    r: AxRequest,
) -> axum::response::Response {
    match s.call(r).now_or_never() {
        Some(Ok(r)) => r,
        _ => axum::response::Response::default(),
    }
}
