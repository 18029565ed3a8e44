package import ISO7816
package import NDEF

/// A fault of a phone over NFC.
package enum NFCHolderFault: Equatable, Sendable {
    /// The phone answers with this status in this phase.
    case refuses(NFCPhase, StatusWord)
    /// The phone does not answer in this phase, as if it was removed (Q132).
    case silent(NFCPhase)
    /// NLEN stays 0, as if no message ever became ready (Q13, Q194).
    case neverReady
    /// NLEN announces this many bytes (Q24, Q194).
    case announcesLength(UInt16)
    /// Reads of the message return no data (Q22).
    case answersEmpty
    /// Reads return one byte more than the reader asked for.
    case answersTooMuch
    /// The phone answers the service select (`serviceStatus`) or the request (`handoverSelect`) with this
    /// TNEP status (Q41).
    case reportsStatus(StatusRecord, NFCPhase)
    /// The phone sends status 00 in place of the Handover Select, again and again (Q41).
    case repeatsSuccess
    /// The first message is neither Handover Select nor `Tp` (Q18).
    case sendsOtherMessage
    /// The last byte of each message is missing, and NLEN is 1 less.
    case truncatesMessage
    case omitsDeviceEngagement
    /// The Handover Select has all carriers of the phone, even carriers that the reader did not offer (Q38).
    case ignoresOffer
    /// The Bluetooth record begins with a length of two bytes (Q32).
    case prefixesBluetoothLength
    /// The first bytes of the capability container are wrong.
    case garblesCapabilities
    /// The answer's data object has a tag other than '53'.
    case wrongDataObjectTag
    /// The answer's data object announces this many bytes (Q194).
    case announcesDataObject(Int)
    /// The status 9000 comes one byte before the data object is complete.
    case endsDataEarly
    /// One byte follows the data object (Q52).
    case addsSurplusByte
    /// The phone answers with 6100 without end (Q194).
    case neverFinishes
}
