//! The route table of a platform: a router that knows the names of its routes.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};

pub struct Routes<S> {
    pub router: Router<S>,
    /// `METHOD /path/{template}` of each.
    pub names: Vec<String>,
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            names: Vec::new(),
        }
    }

    pub fn get<T: 'static>(self, path: &str, handler: impl Handler<T, S>) -> Self {
        self.on("GET", MethodFilter::GET, path, handler)
    }

    pub fn post<T: 'static>(self, path: &str, handler: impl Handler<T, S>) -> Self {
        self.on("POST", MethodFilter::POST, path, handler)
    }

    pub fn put<T: 'static>(self, path: &str, handler: impl Handler<T, S>) -> Self {
        self.on("PUT", MethodFilter::PUT, path, handler)
    }

    pub fn patch<T: 'static>(self, path: &str, handler: impl Handler<T, S>) -> Self {
        self.on("PATCH", MethodFilter::PATCH, path, handler)
    }

    pub fn delete<T: 'static>(self, path: &str, handler: impl Handler<T, S>) -> Self {
        self.on("DELETE", MethodFilter::DELETE, path, handler)
    }

    fn on<T: 'static>(
        mut self,
        method: &str,
        filter: MethodFilter,
        path: &str,
        handler: impl Handler<T, S>,
    ) -> Self {
        self.names.push(format!("{method} {path}"));
        self.router = self.router.route(path, on(filter, handler));
        self
    }
}
