//! What a service of a Swarm is to be like.

use bollard::models::{
    Limit, Mount, MountType, NetworkAttachmentConfig, ServiceSpecMode, ServiceSpecModeReplicated, TaskSpec,
    TaskSpecContainerSpec, TaskSpecContainerSpecFile, TaskSpecContainerSpecPrivileges,
    TaskSpecContainerSpecSecrets, TaskSpecLogDriver, TaskSpecResources, TaskSpecRestartPolicy,
    TaskSpecRestartPolicyConditionEnum,
};

use super::engine::{self, Engine, MOST_THREADS, STATE, USER};
use crate::bot::HANDED;

const SECOND_NS: i64 = 1_000_000_000;

/// So many containers of it.
pub fn replicas(count: i64) -> ServiceSpecMode {
    ServiceSpecMode {
        replicated: Some(ServiceSpecModeReplicated {
            replicas: Some(count),
        }),
        ..ServiceSpecMode::default()
    }
}

/// A bot in a container that reads this secret.
pub fn template(engine: &Engine, bot: &str, secret: String) -> TaskSpec {
    TaskSpec {
        container_spec: Some(container(engine, bot, secret)),
        resources: Some(TaskSpecResources {
            limits: Some(Limit {
                memory_bytes: Some(engine.memory_bytes),
                pids: Some(MOST_THREADS),
                ..Limit::default()
            }),
            ..TaskSpecResources::default()
        }),
        // The node that drives the bot starts the next one, under another name and with what is true then.
        restart_policy: Some(TaskSpecRestartPolicy {
            condition: Some(TaskSpecRestartPolicyConditionEnum::NONE),
            ..TaskSpecRestartPolicy::default()
        }),
        log_driver: Some(TaskSpecLogDriver {
            name: Some(engine::LOG_DRIVER.to_owned()),
            options: Some(engine::log_options()),
        }),
        networks: engine.network.clone().map(|target| {
            vec![NetworkAttachmentConfig {
                target: Some(target),
                ..NetworkAttachmentConfig::default()
            }]
        }),
        ..TaskSpec::default()
    }
}

fn container(engine: &Engine, bot: &str, secret: String) -> TaskSpecContainerSpec {
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    let file = TaskSpecContainerSpecFile {
        name: Some(HANDED.to_owned()),
        uid: Some(USER.to_owned()),
        gid: Some(USER.to_owned()),
        mode: Some(0o400),
    };
    TaskSpecContainerSpec {
        image: Some(engine.image.clone()),
        labels: Some(engine.labels(bot)),
        command: words(&["symbolon"]),
        args: words(&["bot", "--handed"]),
        env: words(&["MIMALLOC_ALLOW_THP=0"]),
        user: Some(USER.to_owned()),
        read_only: Some(true),
        capability_drop: words(&["ALL"]),
        privileges: Some(TaskSpecContainerSpecPrivileges {
            no_new_privileges: Some(true),
            ..TaskSpecContainerSpecPrivileges::default()
        }),
        mounts: Some(vec![Mount {
            target: Some(STATE.to_owned()),
            typ: Some(MountType::TMPFS),
            ..Mount::default()
        }]),
        secrets: Some(vec![TaskSpecContainerSpecSecrets {
            file: Some(file),
            secret_id: Some(secret),
            secret_name: Some(engine::name(bot)),
        }]),
        stop_grace_period: Some(5 * SECOND_NS),
        ..TaskSpecContainerSpec::default()
    }
}
