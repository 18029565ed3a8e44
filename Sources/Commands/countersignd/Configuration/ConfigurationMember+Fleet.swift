extension ConfigurationMember {
    static let fleet: [Self] = [
        .init("chain", .text(upTo: 48, .fleetName), .required, "the chain's name"),
        .init(
            "kiosk", .text(upTo: 48, .fleetName), .required, "this kiosk's name, for which its code was made"),
        .init("site", .text(upTo: 48, .fleetName), .absent("none"), "the site at which it stands"),
        .init("group", .text(upTo: 48, .fleetName), .absent("none"), "the group to which it belongs"),
        .init(
            "hubs", .list(upTo: 8, of: .text(upTo: 300, .hub), empty: "must contain at least one hub"),
            .required, "the chain's hubs, or the one name of all of them"),
        .init(
            "authority", .path, .required, "the roots of the hubs' and the broker's certificates, PEM",
            faults: "`fleet:` and why"),
        .init(
            "keys", .list(upTo: 8, of: .path, empty: "must contain at least one file"), .required,
            "public keys that sign what the kiosk obeys, PEM. Each withdraws those after it: the one in the safe comes first",
            faults: "`fleet:` and why"),
        .init(
            "codeFile", .path, .absent("none: the kiosk is enrolled"),
            "file with the code of `countersign-hub kiosk invite`, mode 0600", faults: "`fleet:` and why"),
        .init(
            "pollSeconds", .whole(5...86_400, unit: "seconds"), 300,
            "how often the hub is asked where no notice of the broker comes"),
    ]
}
