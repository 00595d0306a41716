//! What all calls have in common, and the catalogue.

use serde_json::json;

use super::world::stripe;
use crate::support::send;

#[tokio::test]
async fn only_a_valid_key_is_answered() {
    let test = stripe().await;
    let url = test.url("/v1/account");
    let basic = |user: &str| {
        use base64::Engine as _;
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:"));
        format!("Basic {pair}")
    };
    for (given, status) in [
        (format!("Bearer {}", test.stripe.secret_key()), 200),
        (basic(test.stripe.secret_key()), 200),
        (basic("sk_test_other"), 401),
        ("Bearer sk_test_other".to_owned(), 401),
        (String::new(), 401),
    ] {
        let reply = send("GET", &url, &[("authorization", &given)], "").await.unwrap();
        assert_eq!(reply.status, status, "{given}");
        assert!(reply.header("request-id").unwrap().starts_with("req_"));
    }
    let none = send("GET", &url, &[], "").await.unwrap();
    assert_eq!(none.json()["error"]["type"], "invalid_request_error");
    assert!(!none.text().contains(test.stripe.secret_key()));
}

/// A call, and the status, code and parameter of its refusal.
const REFUSALS: [(&str, &str, &str); 10] = [
    ("GET", "/v1/customers/cus_none", "404 resource_missing id"),
    ("GET", "/v1/customers?limit=0", "400 parameter_invalid limit"),
    (
        "GET",
        "/v1/customers?limit=many",
        "400 parameter_invalid_integer limit",
    ),
    (
        "GET",
        "/v1/customers?starting_after=cus_none",
        "400 resource_missing starting_after",
    ),
    (
        "GET",
        "/v1/customers?expand[]=data.email",
        "400 property_expansion_unexpandable expand",
    ),
    ("POST", "/v1/customers?email=nobody", "400 email_invalid email"),
    ("POST", "/v1/customers?colour=red", "400 parameter_unknown colour"),
    (
        "POST",
        "/v1/prices?currency=usd&unit_amount=5&product=prod_none",
        "400 resource_missing product",
    ),
    (
        "POST",
        "/v1/prices?unit_amount=5",
        "400 parameter_missing product",
    ),
    (
        "POST",
        "/v1/subscriptions?customer=cus_none",
        "400 resource_missing customer",
    ),
];

#[tokio::test]
async fn refusals_name_the_parameter() {
    let test = stripe().await;
    for (method, path, expected) in REFUSALS {
        let (path, body) = match path.split_once('?') {
            Some((path, body)) if method == "POST" => (path, body),
            _ => (path, ""),
        };
        let (status, error) = test.refused(method, path, body).await;
        let word = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        assert_eq!(
            format!("{status} {} {}", word("code"), word("param")),
            expected,
            "{path}"
        );
    }
    let (status, error) = test.refused("GET", "/v1/nonsense", "").await;
    assert_eq!((status, &error["type"]), (404, &json!("invalid_request_error")));
    let bearer = format!("Bearer {}", test.stripe.secret_key());
    let headers = [
        ("content-type", "application/json"),
        ("authorization", bearer.as_str()),
    ];
    let reply = send("POST", &test.url("/v1/customers"), &headers, "{}")
        .await
        .unwrap();
    assert_eq!(reply.status, 400);
    assert_eq!(test.stripe.state().customers.len(), 1);
}

#[tokio::test]
async fn a_lookup_key_belongs_to_one_price() {
    let test = stripe().await;
    let old = &test.sold.standard.monthly;
    let form = format!(
        "currency=usd&unit_amount=600&recurring[interval]=month&product={}&lookup_key=standard_monthly",
        test.sold.standard.product
    );
    let (status, error) = test.refused("POST", "/v1/prices", &form).await;
    assert_eq!((status, &error["param"]), (400, &json!("lookup_key")));
    let before = test.stripe.events().len();
    let new = test
        .post("/v1/prices", &format!("{form}&transfer_lookup_key=true"))
        .await;
    assert_eq!(test.kinds_from(before), ["price.updated", "price.created"]);
    let found = test
        .get("/v1/prices?lookup_keys[]=standard_monthly&lookup_keys[]=none")
        .await;
    assert_eq!(
        (found["data"].as_array().unwrap().len(), &found["data"][0]["id"]),
        (1, &new["id"])
    );
    test.post(&format!("/v1/prices/{old}"), "active=false").await;
    let path = format!("/v1/prices?product={}&active=true", test.sold.standard.product);
    let active = test.get(&path).await;
    let ids: Vec<_> = active["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|price| price["id"].clone())
        .collect();
    assert_eq!(ids, [new["id"].clone(), json!(test.sold.standard.yearly)]);
}

#[tokio::test]
async fn lists_are_turned_page_by_page() {
    let test = stripe().await;
    let mut made: Vec<String> = (0..25)
        .map(|number| test.stripe.add_customer(&format!("{number}@example.com")))
        .collect();
    made.insert(0, test.ada.clone());
    made.reverse();
    let (mut found, mut path) = (Vec::new(), "/v1/customers".to_owned());
    loop {
        let page = test.get(&path).await;
        assert_eq!(
            (&page["object"], &page["url"]),
            (&json!("list"), &json!("/v1/customers"))
        );
        let data = page["data"].as_array().unwrap();
        found.extend(data.iter().map(|one| one["id"].as_str().unwrap().to_owned()));
        if page["has_more"] == false {
            break;
        }
        path = format!("/v1/customers?starting_after={}", found.last().unwrap());
    }
    assert_eq!(found, made);
}

#[tokio::test]
async fn a_deleted_customer_pays_for_nothing() {
    let test = stripe().await;
    let id = test.subscribed();
    let before = test.stripe.events().len();
    let path = format!("/v1/customers/{}", test.ada);
    let gone = test.call("DELETE", &path, &[], "").await.json();
    assert_eq!(
        gone,
        json!({"id": test.ada, "object": "customer", "deleted": true})
    );
    assert_eq!(test.get(&path).await, gone);
    assert_eq!(test.status(&id).await, "canceled");
    assert_eq!(
        test.kinds_from(before),
        ["customer.subscription.deleted", "customer.deleted"]
    );
    assert_eq!(test.refused("POST", &path, "name=Ada").await.0, 404);
    assert_eq!(test.get("/v1/customers").await["data"], json!([]));
}
