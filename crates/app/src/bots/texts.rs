//! What people read on Discord, in every language that it is written in. A text is a line here, once for each.

/// A language of Discord's that we write in; people with another one read English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    German,
    French,
    Spanish,
    Polish,
    Russian,
    Portuguese,
}

impl Language {
    /// The one that stands for a locale of Discord's.
    pub(super) fn of(locale: &str) -> Self {
        let found = Self::LOCALES.iter().find(|(known, _)| *known == locale);
        found.map_or(Self::English, |(_, language)| *language)
    }

    /// Discord's names for all but English, which is what it falls back to.
    pub(super) const LOCALES: [(&'static str, Self); 7] = [
        ("de", Self::German),
        ("fr", Self::French),
        ("es-ES", Self::Spanish),
        ("es-419", Self::Spanish),
        ("pl", Self::Polish),
        ("ru", Self::Russian),
        ("pt-BR", Self::Portuguese),
    ];

    const fn column(self) -> usize {
        match self {
            Self::English => 0,
            Self::German => 1,
            Self::French => 2,
            Self::Spanish => 3,
            Self::Polish => 4,
            Self::Russian => 5,
            Self::Portuguese => 6,
        }
    }
}

macro_rules! texts {
    ($($name:ident = [$($text:literal),+ $(,)?];)+) => {
        /// A text; what stands in braces is put in where it is used.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Text {
            $($name,)+
        }

        impl Text {
            #[cfg(test)]
            pub(super) const ALL: &'static [Self] = &[$(Self::$name,)+];

            const fn columns(self) -> &'static [&'static str; 7] {
                match self {
                    $(Self::$name => &[$($text),+],)+
                }
            }
        }
    };
}

// English, German, French, Spanish, Polish, Russian, Brazilian Portuguese.
texts! {
    LinkName = ["link", "verknüpfen", "associer", "vincular", "połącz", "привязать", "vincular"];
    LinkAbout = [
        "Link your Discord and Steam accounts",
        "Verknüpfe deine Konten bei Discord und Steam",
        "Associer vos comptes Discord et Steam",
        "Vincula tus cuentas de Discord y Steam",
        "Połącz swoje konta Discord i Steam",
        "Привязать аккаунт Steam к Discord",
        "Vincule suas contas do Discord e da Steam",
    ];
    UnlinkName = ["unlink", "trennen", "dissocier", "desvincular", "rozłącz", "отвязать", "desvincular"];
    UnlinkAbout = [
        "End the link of your accounts",
        "Trenne deine verknüpften Konten",
        "Dissocier vos comptes",
        "Desvincula tus cuentas",
        "Rozłącz swoje konta",
        "Отвязать свои аккаунты",
        "Desvincule suas contas",
    ];
    StatusName = ["linkstatus", "status", "statut", "estado", "status", "статус", "status"];
    StatusAbout = [
        "See whether your accounts are linked",
        "Zeigt, ob deine Konten verknüpft sind",
        "Voir si vos comptes sont associés",
        "Mira si tus cuentas están vinculadas",
        "Sprawdź, czy Twoje konta są połączone",
        "Узнать, привязаны ли ваши аккаунты",
        "Veja se suas contas estão vinculadas",
    ];
    WhoisName = ["whois", "werist", "quiest", "quienes", "ktoto", "ктоэто", "quemé"];
    WhoisAbout = [
        "Staff: see the Steam account of a member",
        "Team: zeigt das Steam-Konto eines Mitglieds",
        "Équipe : voir le compte Steam d'un membre",
        "Equipo: mira la cuenta de Steam de un miembro",
        "Ekipa: zobacz konto Steam członka",
        "Команда: узнать аккаунт Steam участника",
        "Equipe: veja a conta Steam de um membro",
    ];
    SearchName = ["search", "suchen", "chercher", "buscar", "szukaj", "поиск", "buscar"];
    SearchAbout = [
        "Staff: find a linked player by id",
        "Team: findet einen verknüpften Spieler nach ID",
        "Équipe : trouver un joueur associé par son identifiant",
        "Equipo: busca a un jugador vinculado por su ID",
        "Ekipa: znajdź połączonego gracza po ID",
        "Команда: найти игрока по ID",
        "Equipe: encontre um jogador vinculado pelo ID",
    ];
    PanelName = ["panel", "panel", "panneau", "panel", "panel", "панель", "painel"];
    PanelAbout = [
        "Staff: post a panel with a Verify button here",
        "Team: postet hier ein Panel mit dem Knopf zum Verknüpfen",
        "Équipe : publier ici un panneau de vérification",
        "Equipo: publica aquí un panel de verificación",
        "Ekipa: opublikuj tu panel weryfikacji",
        "Команда: разместить здесь панель проверки",
        "Equipe: publique aqui um painel de verificação",
    ];
    SyncName = ["sync", "abgleichen", "synchroniser", "sincronizar", "synchronizuj", "сверить", "sincronizar"];
    SyncAbout = [
        "Staff: check the roles of a member, or everybody's",
        "Team: prüft die Rollen eines Mitglieds oder aller",
        "Équipe : vérifier les rôles d'un membre ou de tous",
        "Equipo: revisa los roles de un miembro o de todos",
        "Ekipa: sprawdź role członka albo wszystkich",
        "Команда: проверить роли участника или всех",
        "Equipe: verifique os cargos de um membro ou de todos",
    ];
    UserName = ["user", "mitglied", "membre", "usuario", "użytkownik", "участник", "usuário"];
    UserAbout = [
        "The member", "Das Mitglied", "Le membre", "El miembro", "Członek", "Участник", "O membro",
    ];
    IdName = ["id", "id", "id", "id", "id", "id", "id"];
    IdAbout = [
        "A Discord id or a Steam id (SteamID64)",
        "Eine Discord-ID oder eine Steam-ID (SteamID64)",
        "Un identifiant Discord ou Steam (SteamID64)",
        "Un ID de Discord o de Steam (SteamID64)",
        "ID Discord albo Steam (SteamID64)",
        "ID Discord или Steam (SteamID64)",
        "Um ID do Discord ou da Steam (SteamID64)",
    ];
    LinkHere = [
        "Link your accounts on this page:",
        "Verknüpfe deine Konten auf dieser Seite:",
        "Associez vos comptes sur cette page :",
        "Vincula tus cuentas en esta página:",
        "Połącz swoje konta na tej stronie:",
        "Привяжите аккаунты на этой странице:",
        "Vincule suas contas nesta página:",
    ];
    OpenPage = [
        "Open the link page", "Link-Seite öffnen", "Ouvrir la page", "Abrir la página", "Otwórz stronę",
        "Открыть страницу", "Abrir a página",
    ];
    Linked = [
        "You are linked with {steam} since {since}.",
        "Du bist seit {since} mit {steam} verknüpft.",
        "Vous êtes associé à {steam} depuis le {since}.",
        "Estás vinculado con {steam} desde el {since}.",
        "Twoje konto jest połączone z {steam} od {since}.",
        "Вы привязаны к {steam} с {since}.",
        "Você está vinculado a {steam} desde {since}.",
    ];
    NotLinked = [
        "You are not linked here.", "Du bist hier nicht verknüpft.", "Vous n'êtes pas associé ici.",
        "No estás vinculado aquí.", "Nie masz tu połączonego konta.", "Здесь вы не привязаны.",
        "Você não está vinculado aqui.",
    ];
    Unlinked = [
        "Your accounts are no longer linked.", "Deine Konten sind nicht mehr verknüpft.",
        "Vos comptes ne sont plus associés.", "Tus cuentas ya no están vinculadas.",
        "Twoje konta nie są już połączone.", "Ваши аккаунты больше не привязаны.",
        "Suas contas não estão mais vinculadas.",
    ];
    UnlinkedOther = [
        "{who} is no longer linked.", "{who} ist nicht mehr verknüpft.", "{who} n'est plus associé.",
        "{who} ya no está vinculado.", "{who} nie ma już połączonego konta.", "{who} больше не привязан.",
        "{who} não está mais vinculado.",
    ];
    OtherNotLinked = [
        "{who} is not linked here.", "{who} ist hier nicht verknüpft.", "{who} n'est pas associé ici.",
        "{who} no está vinculado aquí.", "{who} nie ma tu połączonego konta.", "{who} здесь не привязан.",
        "{who} não está vinculado aqui.",
    ];
    BadId = [
        "That is neither a Discord id nor a Steam id.", "Das ist weder eine Discord-ID noch eine Steam-ID.",
        "Ce n'est ni un identifiant Discord ni un identifiant Steam.", "Eso no es un ID de Discord ni de Steam.",
        "To nie jest ID Discord ani Steam.", "Это не ID Discord и не ID Steam.",
        "Isso não é um ID do Discord nem da Steam.",
    ];
    NotAllowed = [
        "You need the permission `{permission}` in this community's dashboard.",
        "Du brauchst die Berechtigung `{permission}` im Dashboard dieser Community.",
        "Il vous faut la permission `{permission}` dans le tableau de bord de cette communauté.",
        "Necesitas el permiso `{permission}` en el panel de esta comunidad.",
        "Potrzebujesz uprawnienia `{permission}` w panelu tej społeczności.",
        "Вам нужно право `{permission}` в панели этого сообщества.",
        "Você precisa da permissão `{permission}` no painel desta comunidade.",
    ];
    Blocked = [
        "You are blocked. Write to whoever runs this service.",
        "Du bist gesperrt. Wende dich an den Betreiber dieses Dienstes.",
        "Vous êtes bloqué. Écrivez à l'exploitant de ce service.",
        "Estás bloqueado. Escribe a quien gestiona este servicio.",
        "Masz blokadę. Napisz do operatora tej usługi.",
        "Вы заблокированы. Напишите тем, кто управляет этим сервисом.",
        "Você está bloqueado. Escreva para quem administra este serviço.",
    ];
    NotSetUp = [
        "This Discord server is not set up for linking.",
        "Dieser Discord-Server ist nicht für Verknüpfungen eingerichtet.",
        "Ce serveur Discord n'est pas configuré.", "Este servidor de Discord no está configurado.",
        "Ten serwer Discord nie jest skonfigurowany.", "Этот сервер Discord не настроен.",
        "Este servidor do Discord não está configurado.",
    ];
    Unknown = [
        "This is not known here any more.", "Das gibt es hier nicht mehr.", "Ceci n'existe plus ici.",
        "Esto ya no existe aquí.", "Tego już tu nie ma.", "Этого здесь больше нет.", "Isso não existe mais aqui.",
    ];
    SlowDown = [
        "That was too fast. Wait a moment.", "Das war zu schnell. Warte einen Moment.",
        "Trop vite. Patientez un instant.", "Demasiado rápido. Espera un momento.", "Za szybko. Poczekaj chwilę.",
        "Слишком быстро. Подождите немного.", "Rápido demais. Espere um momento.",
    ];
    PanelPosted = [
        "The panel is posted.", "Das Panel ist gepostet.", "Le panneau est publié.", "El panel está publicado.",
        "Panel opublikowano.", "Панель размещена.", "O painel foi publicado.",
    ];
    PanelRefused = [
        "I cannot post here. Let me view this channel, send messages and embed links.",
        "Ich kann hier nicht posten. Erlaube mir, den Kanal zu sehen, Nachrichten zu senden und Links einzubetten.",
        "Je ne peux pas publier ici. Laissez-moi voir ce salon, envoyer des messages et intégrer des liens.",
        "No puedo publicar aquí. Déjame ver el canal, enviar mensajes e insertar enlaces.",
        "Nie mogę tu pisać. Pozwól mi widzieć kanał, wysyłać wiadomości i osadzać linki.",
        "Я не могу писать здесь. Разрешите мне видеть канал, отправлять сообщения и встраивать ссылки.",
        "Não posso publicar aqui. Permita que eu veja o canal, envie mensagens e insira links.",
    ];
    SyncOne = [
        "The roles of {who} are being checked.", "Die Rollen von {who} werden geprüft.",
        "Les rôles de {who} sont en cours de vérification.", "Se están revisando los roles de {who}.",
        "Trwa sprawdzanie ról {who}.", "Роли {who} проверяются.", "Os cargos de {who} estão sendo verificados.",
    ];
    SyncAll = [
        "The roles of all linked members are being checked. The dashboard shows how far it is.",
        "Die Rollen aller verknüpften Mitglieder werden geprüft. Das Dashboard zeigt, wie weit es ist.",
        "Les rôles de tous les membres associés sont en cours de vérification. Le tableau de bord montre l'avancement.",
        "Se están revisando los roles de todos los miembros vinculados. El panel muestra el avance.",
        "Trwa sprawdzanie ról wszystkich połączonych członków. Postęp widać w panelu.",
        "Проверяются роли всех привязанных участников. Ход виден в панели.",
        "Os cargos de todos os membros vinculados estão sendo verificados. O painel mostra o andamento.",
    ];
    TryLater = [
        "Discord did not answer. Try again in a minute.",
        "Discord hat nicht geantwortet. Versuche es in einer Minute noch einmal.",
        "Discord n'a pas répondu. Réessayez dans une minute.",
        "Discord no respondió. Inténtalo de nuevo en un minuto.",
        "Discord nie odpowiedział. Spróbuj za minutę.", "Discord не ответил. Повторите через минуту.",
        "O Discord não respondeu. Tente de novo em um minuto.",
    ];
    PanelTitle = [
        "Link your Steam account", "Verknüpfe dein Steam-Konto", "Associez votre compte Steam",
        "Vincula tu cuenta de Steam", "Połącz swoje konto Steam", "Привяжите аккаунт Steam",
        "Vincule sua conta Steam",
    ];
    PanelBody = [
        "Press the button. Only you see the answer.", "Drücke den Knopf. Nur du siehst die Antwort.",
        "Appuyez sur le bouton. Vous seul voyez la réponse.", "Pulsa el botón. Solo tú ves la respuesta.",
        "Naciśnij przycisk. Odpowiedź widzisz tylko Ty.", "Нажмите кнопку. Ответ видите только вы.",
        "Clique no botão. Só você vê a resposta.",
    ];
    Verify = ["Verify", "Verifizieren", "Vérifier", "Verificar", "Zweryfikuj", "Подтвердить", "Verificar"];
    LinkedSince = [
        "Linked since", "Verknüpft seit", "Associé depuis", "Vinculado desde", "Połączono", "Привязан с",
        "Vinculado desde",
    ];
}

impl Text {
    pub(super) const fn read(self, language: Language) -> &'static str {
        self.columns()[language.column()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_keeps_its_placeholders_in_every_language() {
        for text in Text::ALL {
            let english = text.read(Language::English);
            for (locale, language) in Language::LOCALES {
                let translated = text.read(language);
                assert!(!translated.is_empty());
                for place in ["{steam}", "{since}", "{who}", "{permission}"] {
                    assert_eq!(
                        english.contains(place),
                        translated.contains(place),
                        "{text:?} in {locale}"
                    );
                }
            }
        }
    }

    #[test]
    fn who_speaks_another_language_reads_english() {
        assert_eq!(Language::of("de"), Language::German);
        assert_eq!(Language::of("es-419"), Language::Spanish);
        for other in ["en-US", "en-GB", "ja", "", "DE"] {
            assert_eq!(Language::of(other), Language::English, "{other}");
        }
    }
}
