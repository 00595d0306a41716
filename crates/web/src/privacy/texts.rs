//! What a person's own page says, in each language.

use crate::public::texts::Texts;

/// Words that may stand behind `?notice=`; others say nothing.
pub(super) mod notice {
    pub const ERASED: &str = "erased";
    pub const GONE: &str = "gone";
    pub const CONFIRM: &str = "confirm";
    pub const OWNER: &str = "owner";
    pub const BLOCKED: &str = "blocked";
    pub const CANCELLED: &str = "cancelled";
    pub const DISCORD: &str = "discord-silent";
    pub const STEAM: &str = "steam-silent";
}

pub(super) struct OwnTexts {
    pub title: &'static str,
    pub intro: &'static str,
    pub sign_in: &'static str,
    pub sign_in_why: &'static str,
    pub signed_in: &'static str,
    pub also: &'static str,
    pub sign_out: &'static str,
    pub nothing: &'static str,
    pub removed: &'static str,
    pub linked_since: &'static str,
    pub linked_until: &'static str,
    pub country: &'static str,
    pub servers: &'static str,
    pub last_seen: &'static str,
    pub trust: &'static str,
    pub boosts: &'static str,
    pub roles: &'static str,
    pub dashboard: &'static str,
    pub dashboard_text: &'static str,
    pub owner: &'static str,
    pub take_home: &'static str,
    pub take_home_text: &'static str,
    pub export: &'static str,
    pub erase_here: &'static str,
    pub erase_here_text: &'static str,
    pub erase_all: &'static str,
    pub erase_all_text: &'static str,
    pub what_stays: &'static str,
    pub sure: &'static str,
    pub erase: &'static str,
    pub erased: &'static str,
    pub gone: &'static str,
    pub confirm: &'static str,
    pub blocked: &'static str,
}

const ENGLISH: OwnTexts = OwnTexts {
    title: "Your data",
    intro: "See what communities on this site hold about you, download it, or have it erased.",
    sign_in: "Show us which accounts are yours",
    sign_in_why: "Sign in with one of them or both. You see and erase what is held under the accounts you sign in with, and under accounts linked to them while those links are active.",
    signed_in: "Signed in as",
    also: "Sign in with your other account, too:",
    sign_out: "Sign out",
    nothing: "Nothing is held under this account.",
    removed: "This community was removed. Its history is kept.",
    linked_since: "linked since",
    linked_until: "linked until",
    country: "Country",
    servers: "Game servers",
    last_seen: "last seen",
    trust: "Trust Score",
    boosts: "Boosts the Discord server since",
    roles: "Roles we gave you",
    dashboard: "Dashboard account",
    dashboard_text: "Erasing everything deletes it, too.",
    owner: "You own an organisation. Transfer it to another member or delete it in the dashboard, then erase everything.",
    take_home: "Download your data",
    take_home_text: "One JSON file with all of it.",
    export: "Download",
    erase_here: "Erase here…",
    erase_here_text: "This ends your link in this community, takes back the roles that came with it and erases your IDs, names and history here.",
    erase_all: "Erase everything…",
    erase_all_text: "This does the same in every community and deletes your dashboard account.",
    what_stays: "What stays is a code that can’t be turned back into your ID. It keeps blocks in force and shows when the same person comes back. Messages already posted on Discord stay there; ask the community to delete them.",
    sure: "I understand that this can’t be undone",
    erase: "Erase my data",
    erased: "Your data in this community is erased.",
    gone: "Your data is erased everywhere. Roles on Discord are taken back within a day.",
    confirm: "Nothing was erased. Tick the box to confirm.",
    blocked: "This account is blocked, so this page can’t show or erase its data. Write to the operator of this site.",
};

const ARABIC: OwnTexts = OwnTexts {
    title: "بياناتك",
    intro: "اطّلع على ما تحفظه المجتمعات في هذا الموقع عنك، أو نزّله، أو اطلب محوه.",
    sign_in: "أرِنا أي الحسابات لك",
    sign_in_why: "سجّل الدخول بأحدهما أو بكليهما. ترى وتمحو ما هو محفوظ تحت الحسابات التي تسجّل الدخول بها، والحساب المرتبط بها ما دام الربط قائمًا.",
    signed_in: "سجّلت الدخول باسم",
    also: "سجّل الدخول بحسابك الآخر أيضًا:",
    sign_out: "تسجيل الخروج",
    nothing: "لا شيء محفوظ تحت هذا الحساب.",
    removed: "أُزيل هذا المجتمع، ويُحتفظ بسجلّه.",
    linked_since: "مرتبط منذ",
    linked_until: "كان مرتبطًا حتى",
    country: "البلد",
    servers: "خوادم اللعبة",
    last_seen: "آخر ظهور",
    trust: "درجة الثقة",
    boosts: "يعزّز خادم Discord منذ",
    roles: "أدوار منحناك إياها",
    dashboard: "حساب لوحة التحكم",
    dashboard_text: "محو كل شيء يحذفه أيضًا.",
    owner: "أنت مالك منظمة. انقلها إلى عضو آخر أو أزلها من لوحة التحكم، ثم امحُ كل شيء.",
    take_home: "نزّل بياناتك",
    take_home_text: "ملف JSON واحد فيه كل شيء.",
    export: "تنزيل",
    erase_here: "امحُ هنا…",
    erase_here_text: "ينهي هذا ربطك في هذا المجتمع، ويسحب الأدوار التي جاءت معه، ويمحو أرقامك وأسماءك وسجلّك هنا.",
    erase_all: "امحُ كل شيء…",
    erase_all_text: "يفعل هذا الأمر نفسه في كل مجتمع ويحذف حسابك في لوحة التحكم.",
    what_stays: "يبقى رمز لا يمكن تحويله إلى رقمك. به يبقى الحظر ساريًا ويُعرف إن عاد الشخص نفسه. الرسائل المنشورة على Discord تبقى هناك؛ اطلب من المجتمع حذفها.",
    sure: "أفهم أنه لا يمكن التراجع عن هذا",
    erase: "امحُ بياناتي",
    erased: "مُحيت بياناتك في هذا المجتمع.",
    gone: "مُحيت بياناتك في كل مكان. تُسحب الأدوار على Discord خلال يوم.",
    confirm: "لم يُمحَ شيء. ضع علامة في المربع للتأكيد.",
    blocked: "هذا الحساب محظور، لذلك لا تستطيع هذه الصفحة عرض بياناته أو محوها. راسل مشغّل هذا الموقع.",
};

pub(super) fn of(texts: &Texts) -> &'static OwnTexts {
    if texts.code == "ar" { &ARABIC } else { &ENGLISH }
}
