internal import RequestPlanner

/// The published rule of a state or country about keeping proof of an ID check, and the retention profile
/// that keeps no more than the rule allows. The rules were compiled from public, mostly secondary sources.
/// Some of the sources are about bills, which may not be law.
package struct RetentionPlace: Sendable {
    package static let notice =
        "This is not legal advice. It was compiled in November 2026 from the named sources."
        + " Most of these sources are secondary, and some are about bills: have a lawyer check what applies to you."

    /// The id of the state or country: an ISO 3166-2 code in lower case, or a word.
    package let id: String
    package let name: String
    /// The rule in a few words, as the source reports it.
    package let rule: String
    package let source: String
    package let profile: RetentionProfile

    package static func known(_ id: String) -> RetentionPlace? {
        all.first { $0.id == id }
    }

    package static let all: [RetentionPlace] =
        storageLimits
        + proofOfCheck.map { id, name, rule, source in
            RetentionPlace(id: id, name: name, rule: rule, source: source, profile: .receipt)
        }

    /// States that limit, according to the sources, what may be stored or for how long.
    private static let storageLimits = [
        RetentionPlace(
            id: "us-tn", name: "Tennessee (bill)",
            rule:
                "digital licence data may be kept only as long as needed, at most 3 calendar days, and may not be sold",
            source: "fastdemocracy TNB00056338", profile: RetentionProfile(.consented, 3)),
        RetentionPlace(
            id: "us-nh", name: "New Hampshire (2025 bill, effective 1 Jan 2026)",
            rule:
                "data may be stored only with the holder's explicit consent, and the holder may be tracked only with consent",
            source: "fastdemocracy NHB00013528", profile: .consented),
        RetentionPlace(
            id: "us-ne", name: "Nebraska",
            rule: "an ID may be scanned, but only the age and the ID number may be stored",
            source: "idscanner.com", profile: .ageAndIDNumber),
    ]

    /// States and countries that require a check or proof of a check, or that require data minimisation in
    /// general. A receipt is enough there, because it has no personal data.
    private static let proofOfCheck = [
        (
            "us-nj", "New Jersey (A3518, effective after 44 months)",
            "the law forbids unnecessary data, limits verifiers, requires incident reports and sets penalties",
            "nationalnotary.org"
        ),
        (
            "us-mi", "Michigan (SB 894, introduced 2024)",
            "the bill regulates those who check mobile licences (relying parties)", "legiscan"
        ),
        (
            "us-az", "Arizona",
            "to defend itself, a seller may use an electronic file or a printed document from a device that reads the age",
            "idscanner.com"
        ),
        (
            "us-scan-defence", "Pennsylvania, North Carolina, Ohio, Connecticut and others",
            "the use of a transaction-scan device is an affirmative defence;"
                + " a statute that lists the name or the number requires more data than a receipt has",
            "idscanner.com, idvisor.com"
        ),
        (
            "us-va", "Virginia (1 Jul 2024)",
            "for tobacco, an ID must be verified with a scanner or software", "idscan.net"
        ),
        ("us-nv", "Nevada", "for tobacco, an ID must be scanned", "a copy of the statute"),
        (
            "us-ca", "California",
            "Civ. Code 1798.90.1 limits the purposes of a scan; alcohol at self-checkout is restricted",
            "Civ. Code 1798.90.1"
        ),
        (
            "us-ny", "New York",
            "the liquor authority accepts the mobile ID as proof of age for alcohol", "wamc.org"
        ),
        (
            "gb-eaw", "England and Wales (regulations laid 30 Jun 2026)",
            "an agreement with a registered digital-verification provider is required;"
                + " the age threshold and the presenter must be confirmed; a machine must validate the ID, because a look at a screen is not enough",
            "asiantrader.biz"
        ),
    ]
}
