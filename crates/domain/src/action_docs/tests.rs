//! The texts are whole and fit what they describe.

use super::*;

#[test]
fn every_action_has_its_own_entry() {
    for spec in ACTIONS {
        assert_eq!(doc(spec.action).action, spec.action);
    }
}

#[test]
fn every_text_is_a_sentence() {
    for doc in docs() {
        let name = doc.spec().name;
        let about = doc.params.iter().map(|param| param.about);
        for text in about.chain(doc.notes.iter().copied()).chain([doc.summary]) {
            assert!(text.ends_with('.') && text.len() > 10, "{name}: {text}");
            assert!(text.starts_with(|c: char| c.is_uppercase()), "{name}: {text}");
            assert!(!text.contains('`'), "{name}: it is shown as it is: {text}");
        }
    }
}

#[test]
fn answers_are_json_and_successes_are_what_the_shape_says() {
    for doc in docs() {
        let name = doc.spec().name;
        let many = doc.many.map(|(_, example)| example);
        for example in [Some(doc.example), doc.miss, many].into_iter().flatten() {
            serde_json::from_str::<serde_json::Value>(example.answer).expect(name);
            if let Some(body) = example.body {
                serde_json::from_str::<serde_json::Value>(body).expect(name);
            }
        }
        if let Shape::Text(text) = doc.shape {
            assert_eq!(doc.example.answer, format!("\"{text}\""), "{name}");
            assert!(!text.to_lowercase().contains("error"), "{name}");
        }
        assert_eq!(doc.example.status, 200, "{name}");
    }
}

#[test]
fn examples_use_the_parameters_that_are_told() {
    for doc in docs() {
        let name = doc.spec().name;
        let told = |place: Place| doc.params.iter().filter(move |param| param.place == place);
        for pair in doc.example.query.split('&').filter(|pair| !pair.is_empty()) {
            let key = pair.split('=').next().unwrap();
            assert!(told(Place::Query).any(|param| param.name == key), "{name}: {key}");
        }
        let body: serde_json::Value = doc.example.body.map_or_else(
            || serde_json::json!({}),
            |body| serde_json::from_str(body).unwrap(),
        );
        for key in body.as_object().unwrap().keys() {
            assert!(told(Place::Body).any(|param| param.name == key), "{name}: {key}");
        }
        for param in doc.params.iter().filter(|param| param.required) {
            let there = match param.place {
                Place::Query => doc
                    .example
                    .query
                    .split('&')
                    .any(|pair| pair.split('=').next() == Some(param.name)),
                Place::Body => body.get(param.name).is_some(),
            };
            assert!(there, "{name}: {}", param.name);
        }
    }
}
