//! What the pages for players say, in each language. A text that is missing in one of them does not compile.

/// All texts of one language.
pub struct Texts {
    pub code: &'static str,
    pub direction: &'static str,
    /// The language to switch to, and its own name for itself.
    pub other_code: &'static str,
    pub other_name: &'static str,
    pub link_title: &'static str,
    pub link_intro: &'static str,
    pub discord_step: &'static str,
    pub discord_why: &'static str,
    pub discord_button: &'static str,
    pub steam_step: &'static str,
    pub steam_why: &'static str,
    pub steam_button: &'static str,
    pub signed_in_as: &'static str,
    pub another_account: &'static str,
    pub member_step: &'static str,
    pub member_later: &'static str,
    pub member_auto: &'static str,
    pub member_ask: &'static str,
    pub member_yes: &'static str,
    pub member_no: &'static str,
    pub member_unknown: &'static str,
    pub member_join: &'static str,
    pub member_invite: &'static str,
    pub group_step: &'static str,
    pub group_ask: &'static str,
    pub group_yes: &'static str,
    pub group_no: &'static str,
    pub group_hidden: &'static str,
    pub group_unknown: &'static str,
    pub group_open: &'static str,
    pub group_privacy: &'static str,
    pub confirm_title: &'static str,
    pub same_pair: &'static str,
    pub will_end: &'static str,
    pub verify_button: &'static str,
    pub linked_title: &'static str,
    pub linked_text: &'static str,
    pub not_yet: &'static str,
    pub cancelled: &'static str,
    pub discord_silent: &'static str,
    pub steam_silent: &'static str,
    pub more: &'static str,
    pub start_over: &'static str,
    pub your_data: &'static str,
    pub unlink_title: &'static str,
    pub unlink_intro: &'static str,
    pub unlink_sign_in: &'static str,
    pub unlink_confirm: &'static str,
    pub unlink_button: &'static str,
    pub unlinked_title: &'static str,
    pub unlinked_text: &'static str,
    pub not_linked: &'static str,
}

pub const ENGLISH: Texts = Texts {
    code: "en",
    direction: "ltr",
    other_code: "ar",
    other_name: "العربية",
    link_title: "Link your accounts",
    link_intro: "Link your Discord and Steam accounts to play here.",
    discord_step: "Discord",
    discord_why: "We get your name and ID, nothing else.",
    discord_button: "Sign in with Discord",
    steam_step: "Steam",
    steam_why: "You sign in on Steam itself; we never see your password.",
    steam_button: "Sign in with Steam",
    signed_in_as: "Signed in as",
    another_account: "Use another account",
    member_step: "Discord server",
    member_later: "Sign in with Discord first.",
    member_auto: "You’ll be added to the Discord server when you verify.",
    member_ask: "You need to be in the Discord server.",
    member_yes: "You’re in the Discord server.",
    member_no: "You’re not in the Discord server yet.",
    member_unknown: "Discord didn’t tell us whether you’re in the server. Try again in a minute.",
    member_join: "Join the Discord server",
    member_invite: "Open the invite",
    group_step: "Steam group",
    group_ask: "You need to be in the Steam group.",
    group_yes: "You’re in the Steam group.",
    group_no: "You’re not in the Steam group yet. Join it, then verify.",
    group_hidden: "Steam doesn’t show us your groups. Set your profile and group list to public, then verify again.",
    group_unknown: "Steam didn’t answer, so we couldn’t check. It’s not your fault; try again in a minute.",
    group_open: "Open the Steam group",
    group_privacy: "Open Steam’s privacy settings",
    confirm_title: "Link these two accounts?",
    same_pair: "These accounts are already linked. You can safely verify again.",
    will_end: "This ends an existing link:",
    verify_button: "Verify and link",
    linked_title: "You’re linked",
    linked_text: "You can close this page and join the game.",
    not_yet: "Not linked yet. Still to do:",
    cancelled: "You didn’t finish signing in. Nothing was changed.",
    discord_silent: "Discord isn’t responding. Nothing was changed; try again in a minute.",
    steam_silent: "Steam isn’t responding. Nothing was changed; try again in a minute.",
    more: "More",
    start_over: "Start over",
    your_data: "Your data",
    unlink_title: "Unlink",
    unlink_intro: "End the link between your Discord and Steam accounts.",
    unlink_sign_in: "Sign in with either account to show it’s yours",
    unlink_confirm: "Unlink these accounts?",
    unlink_button: "Unlink",
    unlinked_title: "Your accounts are no longer linked",
    unlinked_text: "You lose the roles that came with the link.",
    not_linked: "This account isn’t linked here.",
};

pub const ARABIC: Texts = Texts {
    code: "ar",
    direction: "rtl",
    other_code: "en",
    other_name: "English",
    link_title: "اربط حساباتك",
    link_intro: "اربط حسابك في Discord بحسابك في Steam لتلعب هنا.",
    discord_step: "Discord",
    discord_why: "نعرف اسمك ورقمك فقط، ولا شيء غير ذلك.",
    discord_button: "سجّل الدخول عبر Discord",
    steam_step: "Steam",
    steam_why: "تسجّل الدخول في موقع Steam نفسه، ولا نرى كلمة مرورك أبدًا.",
    steam_button: "سجّل الدخول عبر Steam",
    signed_in_as: "سجّلت الدخول باسم",
    another_account: "استخدم حسابًا آخر",
    member_step: "خادم Discord",
    member_later: "سجّل الدخول عبر Discord أولًا.",
    member_auto: "نضيفك إلى خادم Discord عند التحقق.",
    member_ask: "يجب أن تكون عضوًا في خادم Discord.",
    member_yes: "أنت عضو في خادم Discord.",
    member_no: "لست عضوًا في خادم Discord بعد.",
    member_unknown: "لم يخبرنا Discord إن كنت في الخادم. حاول مرة أخرى بعد دقيقة.",
    member_join: "انضم إلى خادم Discord",
    member_invite: "افتح الدعوة",
    group_step: "مجموعة Steam",
    group_ask: "يجب أن تكون عضوًا في مجموعة Steam.",
    group_yes: "أنت عضو في مجموعة Steam.",
    group_no: "لست عضوًا في مجموعة Steam بعد. انضم إليها ثم تحقّق.",
    group_hidden: "لا يعرض لنا Steam مجموعاتك. اجعل ملفك الشخصي وقائمة مجموعاته عامّة، ثم تحقّق مرة أخرى.",
    group_unknown: "لم يُجب Steam، لذلك لا يمكننا أن نعرف. ليس هذا خطأك؛ حاول بعد دقيقة.",
    group_open: "افتح مجموعة Steam",
    group_privacy: "افتح إعدادات الخصوصية في Steam",
    confirm_title: "هل تربط هذين الحسابين؟",
    same_pair: "هذان الحسابان مرتبطان بالفعل. لا ضرر من التحقق مرة أخرى.",
    will_end: "سينهي هذا ربطًا موجودًا:",
    verify_button: "تحقّق واربط",
    linked_title: "تم الربط",
    linked_text: "يمكنك إغلاق هذه الصفحة والدخول إلى اللعبة.",
    not_yet: "لم يتم الربط بعد. ما زال مفتوحًا:",
    cancelled: "لم تُكمل تسجيل الدخول. لم يتغيّر شيء.",
    discord_silent: "لا يجيب Discord الآن. لم يتغيّر شيء؛ حاول بعد دقيقة.",
    steam_silent: "لا يجيب Steam الآن. لم يتغيّر شيء؛ حاول بعد دقيقة.",
    more: "المزيد",
    start_over: "ابدأ من جديد",
    your_data: "بياناتك",
    unlink_title: "إلغاء الربط",
    unlink_intro: "أنهِ الربط بين حسابك في Discord وحسابك في Steam.",
    unlink_sign_in: "أثبت أنه لك بأحد الحسابين",
    unlink_confirm: "هل تنهي هذا الربط؟",
    unlink_button: "ألغِ الربط",
    unlinked_title: "لم يعد حساباك مرتبطين",
    unlinked_text: "تُسحب الأدوار التي جاءت مع الربط.",
    not_linked: "هذا الحساب غير مرتبط هنا.",
};

/// The first of these that names a language we have decides: the address, the cookie, what the browser asks for.
pub fn choose(asked: Option<&str>, cookie: Option<&str>, accepts: Option<&str>) -> &'static Texts {
    let named = asked.and_then(by_code).or_else(|| cookie.and_then(by_code));
    named.unwrap_or_else(|| {
        let wanted = accepts.unwrap_or_default().split(',');
        let mut primary = wanted.map(|part| part.trim().split(['-', ';']).next().unwrap_or_default());
        primary.find_map(by_code).unwrap_or(&ENGLISH)
    })
}

fn by_code(code: &str) -> Option<&'static Texts> {
    [&ENGLISH, &ARABIC]
        .into_iter()
        .find(|texts| texts.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_one_asked_for_first() {
        let code = |asked, cookie, accepts| choose(asked, cookie, accepts).code;
        assert_eq!(code(None, None, None), "en");
        assert_eq!(code(Some("ar"), Some("en"), Some("en")), "ar");
        assert_eq!(code(None, Some("ar"), Some("en")), "ar");
        assert_eq!(
            code(None, None, Some("de-DE,de;q=0.9,ar-EG;q=0.8,en;q=0.7")),
            "ar"
        );
        assert_eq!(code(Some("xx"), None, Some("fr, en-GB")), "en");
        assert_eq!(code(Some("../ar"), Some("\"ar"), Some(";;,,")), "en");
    }
}
