internal import PCSCTransport
internal import PresentationService
internal import ReaderAPI
internal import ReaderService

extension ConfigurationMember {
    static let lane: [Self] = [
        .init(
            "name", .text(upTo: 64, .laneName), .required, "name in orders and addresses",
            faults: "`another lane has this name` (at `lanes[N]`)"),
        .init(
            "reader", .text(upTo: 128), .absent("any contactless reader"),
            "part of the reader's name in any case, its whole name, or its USB id such as `072f:2200`",
            faults:
                "`lane NAME takes this reader` (at `lanes[N]`): the same text, or one of the two names no reader"
        ),
        .init(
            "adapter", .text(upTo: 16), .absent("the first that can advertise"),
            "Bluetooth adapter, such as `hci0`",
            faults:
                "`lane NAME takes this adapter: name one for each` (at `lanes[N]`): the same, or one of the two names no adapter. With `nfc` no adapter is used"
        ),
        .init(
            "transport", .word(RetrievalPlan.Transport.self), "auto",
            "how the answer comes; `nfc` leaves Bluetooth out; `auto` does so where bluetoothd is not set up for phones"
        ),
        .init(
            "bleMode", .word(RetrievalPlan.Mode.self), "central",
            "who connects over Bluetooth: the phone to us, we to the phone, or whichever is first"),
        .init(
            "l2cap", .word(RetrievalPlan.L2CAP.self), "engagement",
            "which [L2CAP channels](architecture.md#l2cap-channels) are tried"),
        .init(
            "nfcV2", .word(RetrievalPlan.NFCVersion2.self), "off",
            "whether a tap begins with [NFC v2](second-edition.md), by a draft of the second edition: `auto` continues with classic handover where the phone has none",
            faults: "`only cannot be given with transport ble`"),
        .init(
            "fieldTrace", .object(fieldTrace), .absent("no field trace"),
            "writes the [field trace](field-trace.md) of each presentation: nothing of a person or a phone is in it. Not of a bench link",
            faults: "`benchLink and fieldTrace cannot be given together`, `lane NAME has this fieldTrace`"),
        .init(
            "requestVersion", .word(RequestVersion.self), "auto",
            "the version of the request: `auto` sends 1.1 to wallets that announced extended requests, where something of them is asked. After a status 11 on it the lane's next presentation, and only that one, is of version 1.0"
        ),
        .init(
            "readerCommands", .list(upTo: 8, of: .word(ReaderWish.self)), .emptyList,
            "what the reader is asked to do itself while a phone is waited for, where its model can and its driver lets it: [hardware.md](hardware.md#commands-to-the-reader-itself)"
        ),
        .init(
            "benchLink", .text(upTo: 64, .benchLink), .absent("none"),
            "a software wallet in place of reader and adapter, for trials. `HOST` is an address of this computer: 127.0.0.0/8, `localhost` or `::1`, without brackets",
            faults:
                "`must be a numeric address of this computer: the bench link is for tests`; `lane NAME has this bench link` (at `lanes[N]`); `benchLink and MEMBER cannot be given together` (at `lanes[N]`) beside `reader`, `adapter`, `transport`, `bleMode`, `l2cap`, `nfcV2`, `readerCommands` or `fieldTrace`"
        ),
        .init(
            "policy", revocation, .absent("none: that of the purpose"),
            "a stricter policy for all orders at this lane"),
        .init(
            "presets", .list(upTo: Preset.most, of: .text(upTo: 64)), .absent("all of `presets`"),
            "the names of the presets of this lane, in the order of the buttons",
            faults: "`must be the name of one of presets, once`"),
        .init(
            "standing", .text(upTo: 4096), .absent("none: the lane waits for orders"),
            "what the lane asks the next phone by itself: the name of a preset, or the words of an intent, which then has a receipt. See [without a till](getting-started-kiosk.md#8-without-a-till)",
            faults: "what is wrong with the words"),
        .init("waitSeconds", .whole(1...3600, unit: "seconds"), 120, "how long a phone is waited for"),
        .init(
            "consentSeconds", .whole(10...3600, unit: "seconds"), 300,
            "how long the holder may read and decide"),
        .init(
            "armedSeconds", .whole(10...3600, unit: "seconds"), 300,
            "with `nfcV2`: how long the request waits for the [second tap](second-edition.md#two-taps) of a phone that took it away"
        ),
        .init(
            "brand", .object(brand), .absent("none"),
            "the shop's own look on this lane's pages, with or without reader tokens, while nothing is asked too"
        ),
        .init("page", .object(page), .emptyObject, "settings of this lane's pages"),
    ]

    private static let fieldTrace: [Self] = [
        .init(
            "file", .text(upTo: 4000, .path), .required,
            "the file, in a folder that the daemon may write, such as `/var/lib/countersign`. The one before it has `.1` at its end. Readable by the daemon's user alone"
        ),
        .init(
            "bytes", .whole(1 << 16...1 << 28, unit: "bytes"), 4_194_304,
            "the most bytes of both files. A presentation begins a new file where more than half of its room is used; what does not fit is left out"
        ),
    ]
}
