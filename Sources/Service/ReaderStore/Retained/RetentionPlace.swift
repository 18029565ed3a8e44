internal import RequestPlanner

/// The published rule of a state or country about keeping proof of an ID check, and the retention profile
/// that keeps no more than the rule allows. The rules were compiled from public, mostly secondary sources.
/// Some of the sources are about bills.
package struct RetentionPlace: Sendable {
    package static let notice =
        "This is not legal advice. It was compiled in November 2026 from the sources named. Most of them are secondary, and some"
        + " are about bills: have a lawyer check what applies to you."

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
            rule: "digital licence data no longer than needed, at most 3 calendar days; no sale",
            source: "fastdemocracy TNB00056338", profile: RetentionProfile(.consented, 3)),
        RetentionPlace(
            id: "us-nh", name: "New Hampshire (2025 bill, effect 1 Jan 2026)",
            rule: "retain only with explicit consent; no tracking without consent",
            source: "fastdemocracy NHB00013528", profile: .consented),
        RetentionPlace(
            id: "us-ne", name: "Nebraska", rule: "scanning allowed; may store only age and ID number",
            source: "idscanner.com", profile: .ageAndIDNumber),
    ]

    /// States and countries that require a check or proof of a check, or that demand in general that little
    /// data is kept. A receipt is enough there, because it has no personal data.
    private static let proofOfCheck = [
        (
            "us-nj", "New Jersey (A3518, effective after 44 months)",
            "no unnecessary data; limits on verifiers; incident reports; penalties", "nationalnotary.org"
        ),
        (
            "us-mi", "Michigan (SB 894, introduced 2024)", "act on relying parties of mobile licences",
            "legiscan"
        ),
        (
            "us-az", "Arizona",
            "defence accepts an electronic file or printed document produced by a device that reads the age",
            "idscanner.com"
        ),
        (
            "us-scan-defence", "Pennsylvania, North Carolina, Ohio, Connecticut and others",
            "affirmative defence for transaction-scan devices; statutes that list name or number ask for more"
                + " than a receipt", "idscanner.com, idvisor.com"
        ),
        (
            "us-va", "Virginia (1 Jul 2024)",
            "tobacco: identification must be verified by scanner or software", "idscan.net"
        ),
        ("us-nv", "Nevada", "scan required for tobacco", "a copy of the statute"),
        (
            "us-ca", "California", "Civ. Code 1798.90.1 limits purposes; alcohol at self-checkout restricted",
            "Civ. Code 1798.90.1"
        ),
        (
            "us-ny", "New York", "the liquor authority accepts the mobile ID for alcohol", "wamc.org"
        ),
        (
            "gb-eaw", "England and Wales (regulations laid 30 Jun 2026)",
            "agreement with a registered digital-verification provider; threshold and presenter confirmed;"
                + " machine validation, not looking at a screen", "asiantrader.biz"
        ),
    ]
}
