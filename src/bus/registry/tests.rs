use super::settings::{Login, Pem, RegistrySettings};
use crate::model::ConnectionSettings;

fn of(text: &str) -> Result<Option<RegistrySettings>, String> {
    RegistrySettings::of(&ConnectionSettings {
        config_text: Some(text.to_owned()),
        ..ConnectionSettings::to("kafka:9092")
    })
}

fn basic(user: &str, password: &str) -> Login {
    Login::Basic {
        user: user.to_owned(),
        password: password.to_owned(),
    }
}

#[track_caller]
fn login(text: &str) -> Option<Login> {
    let text = format!("schema.registry.url=http://r:8081\n{text}");
    of(&text).unwrap().unwrap().login
}

#[test]
fn without_an_address_there_is_no_registry() {
    assert_eq!(of("client.id=x\nbasic.auth.user.info=a:b"), Ok(None));
    assert_eq!(of("schema.registry.url="), Ok(None));
    let one = of("schema.registry.url=http://r:8081/, https://q/apis/ccompat/v7")
        .unwrap()
        .unwrap();
    assert_eq!(one.urls, ["http://r:8081", "https://q/apis/ccompat/v7"]);
    assert_eq!(one.login, None);
}

#[test]
fn logins_by_javas_names_with_and_without_the_prefix() {
    assert_eq!(
        login("basic.auth.user.info=alice:pa:ss"),
        Some(basic("alice", "pa:ss"))
    );
    assert_eq!(
        login(
            "schema.registry.basic.auth.user.info=alice:pw\nbasic.auth.credentials.source=USER_INFO"
        ),
        Some(basic("alice", "pw"))
    );
    assert_eq!(
        login("bearer.auth.token= t0ken\nbearer.auth.credentials.source=STATIC_TOKEN"),
        Some(Login::Bearer("t0ken".to_owned()))
    );
    assert_eq!(
        login(
            "basic.auth.credentials.source=SASL_INHERIT\nsasl.jaas.config=x.PlainLoginModule required username=\"bob\" password=\"pw\";"
        ),
        Some(basic("bob", "pw"))
    );
    let in_url =
        of("schema.registry.url=http://alice:p%40ss@r:8081/x\nbasic.auth.credentials.source=URL");
    let in_url = in_url.unwrap().unwrap();
    assert_eq!(in_url.login, Some(basic("alice", "p@ss")));
    assert_eq!(in_url.urls, ["http://r:8081/x"]);
}

#[test]
fn certificates_only_count_with_the_prefix() {
    let settings = of("schema.registry.url=https://r\nssl.ca.location=/bus.pem\n\
         schema.registry.ssl.truststore.type=PEM\nschema.registry.ssl.truststore.location=/ca.pem\n\
         schema.registry.ssl.keystore.type=PEM\nschema.registry.ssl.keystore.location=/me.pem");
    let settings = settings.unwrap().unwrap();
    let file = |name: &str| Pem::File(name.to_owned());
    assert!(settings.authority == Some(file("/ca.pem")));
    assert!(settings.client == Some((file("/me.pem"), file("/me.pem"))));
    let bus_only = of("schema.registry.url=https://r\nssl.ca.location=/bus.pem").unwrap();
    assert!(bus_only.unwrap().authority.is_none());
}

#[test]
fn what_cannot_be_used_is_said_without_a_secret() {
    let url = "schema.registry.url=http://r:8081\n";
    for (text, words) in [
        (
            "schema.registry.url=r:8081?x=hunter2".to_owned(),
            "schema.registry.url",
        ),
        (
            format!("{url}basic.auth.user.info=hunter2"),
            "USER:PASSWORD",
        ),
        (
            format!("{url}basic.auth.credentials.source=hunter2"),
            "SASL_INHERIT",
        ),
        (
            format!("{url}basic.auth.credentials.source=SASL_INHERIT"),
            "no login of the bus",
        ),
        (
            format!("{url}bearer.auth.credentials.source=OAUTHBEARER"),
            "bearer.auth.token",
        ),
        (
            format!(
                "{url}schema.registry.ssl.truststore.location=/t.jks\nschema.registry.ssl.truststore.password=hunter2"
            ),
            "PEM",
        ),
        (
            format!("{url}schema.registry.ssl.keystore.location=/t.jks"),
            "convert",
        ),
        (
            format!("{url}schema.registry.ssl.key.password=hunter2"),
            "password",
        ),
        (
            format!("{url}schema.registry.ssl.key.location=/k.pem"),
            "only one",
        ),
    ] {
        let error = of(&text).unwrap_err();
        assert!(error.contains(words), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn debug_output_holds_no_secret() {
    let text = "schema.registry.url=http://alice:hunter2@r:8081\nschema.registry.ssl.keystore.key=hunter2\nschema.registry.ssl.keystore.certificate.chain=hunter2";
    let settings = of(text).unwrap().unwrap();
    assert_eq!(settings.login, Some(basic("alice", "hunter2")));
    let shown = format!("{settings:?}");
    assert!(
        shown.contains("http://r:8081") && !shown.contains("hunter2"),
        "{shown}"
    );
}
