import CBOR
import Foundation
import MdocModel
import Testing
import VectorFiles

@Suite("Dates")
struct DateTests {
    /// The text of a date under a tag, or bare.
    private func date(_ text: String, tag: UInt64?) throws -> DateText {
        let bytes = CBOREncoder.encode { encoder in
            if let tag { encoder.tag(tag) }
            encoder.text(text)
        }
        return try DateText(CBORItem.parse(bytes[...]))
    }

    static let dateForms: [(String, UInt64?, DateForm)] = [
        ("2026-11-01T12:00:00Z", 0, []), ("2026-11-01", 1004, []), ("2026-11-01T12:00:00Z", nil, .tagMissing),
        ("2026-11-01", nil, .tagMissing), ("2026-11-01T12:00:00Z", 1004, .tagOfOtherForm),
        ("2026-11-01", 0, .tagOfOtherForm), ("2026-11-01T12:00:00.5Z", 0, .fractionalSeconds),
        ("2026-11-01T14:00:00+02:00", 0, .offsetNotZ),
        ("2026-11-01T12:00:00.123Z", nil, [.fractionalSeconds, .tagMissing]),
        ("2026-11-01T14:00:00.1+02:00", 1004, [.fractionalSeconds, .offsetNotZ, .tagOfOtherForm]),
    ]

    @Test("Q143 Each form is read and reported: tags right, missing or the other's", arguments: dateForms)
    func forms(_ text: String, tag: UInt64?, form: DateForm) throws {
        let date = try date(text, tag: tag)
        #expect(date.form == form)
        if text.contains("T") {
            #expect(date.instant.description == "2026-11-01T12:00:00Z")
        } else {
            #expect(date.instant.description == "2026-11-01T00:00:00Z")
        }
    }

    @Test(
        "Q143 Under any other tag, and as anything but text, it is no date",
        arguments: [
            "c11a69054a80", "c16a323032362d31312d3031", "d903eb6a323032362d31312d3031", "00", "c000",
            "c0c06a323032362d31312d3031",
            "f6", "a0", "4a323032362d31312d3031", "d903ec4a323032362d31312d3031",
            "d818 6a323032362d31312d3031",
        ])
    func notADate(_ hex: String) throws {
        let item = try CBORItem.parse([UInt8](hex: hex)[...])
        #expect(throws: MdocModelError.notADate(at: 0)) { try DateText(item) }
    }

    @Test(
        "Q144 A fraction of any length is skipped, and the instant is that of its second",
        arguments: [
            "0", "1", "10", "112219", "9999999999", "000000000000000000000000000000",
        ])
    func fractions(_ digits: String) throws {
        let date = try date("2020-01-01T00:00:00.\(digits)Z", tag: 0)
        #expect(date.form == .fractionalSeconds)
        #expect(date.instant.secondsSince1970 == 1_577_836_800)
    }

    @Test(
        "Text that is no date is refused",
        arguments: [
            "", "2026", "2026-11", "2026-11-1", "2026-1-01", "26-11-01", "02026-11-01", "2026/11/01",
            "20261101", "2026-11-01T",
            "2026-11-01T12:00Z", "2026-11-01T12:00:00", "2026-11-01 12:00:00Z", "2026-11-01T12:00:00Z ",
            " 2026-11-01",
            "2026-11-01T24:00:00Z", "2026-11-01T12:60:00Z", "2026-11-01T12:00:61Z", "2026-11-01T12:00:00.Z",
            "2026-11-01T12:00:00,5Z", "2026-11-01T12:00:00+0200", "2026-11-01T12:00:00+24:00",
            "2026-11-01T12:00:00+02:60",
            "2026-11-01T12:00:00+2:00", "2026-11-01T12:00:00ZZ", "2026-11-01T12:00:00Z+00:00", "-026-11-01",
            "+2026-11-01",
            "2026-11-0١", "garbage", "2026-13-01", "2026-00-01", "2026-11-00", "2026-11-31", "2026-02-29",
            "1900-02-29",
            "2100-02-29", "2026-04-31", "2026-06-31", "2026-09-31", "2026-11-31T00:00:00Z", "2026-01-32",
        ])
    func refused(_ text: String) {
        #expect(DateText(text.utf8) == nil)
        #expect(throws: MdocModelError.notADate(at: 0)) { try date(text, tag: 0) }
        #expect(throws: MdocModelError.notADate(at: 0)) { try date(text, tag: 1004) }
    }

    @Test(
        "Calendar edges are read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T00:00:00Z", 951_782_400),
            ("2024-02-29T12:34:56Z", 1_709_210_096), ("2038-01-19T03:14:08Z", 2_147_483_648),
            ("2106-02-07T06:28:16Z", 4_294_967_296), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("1600-02-29T00:00:00Z", -11_670_998_400),
            ("2026-11-01t12:00:00z", 1_793_534_400), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("2026-11-01T00:30:00+01:00", 1_793_489_400), ("2026-10-31T23:30:00-01:00", 1_793_493_000),
            ("2026-11-01T23:59:59+23:59", 1_793_491_259), ("2026-11-01T00:00:00-00:00", 1_793_491_200),
        ] as [(String, Int64)])
    func instants(_ text: String, seconds: Int64) throws {
        #expect(try #require(DateText(text.utf8)).instant.secondsSince1970 == seconds)
    }

    @Test("Every day of 800 years has its number, counted one by one")
    func everyDay() throws {
        // 1600-01-01 is 135140 days before 1970-01-01.
        var number: Int64 = -135_140
        for year in 1600..<2400 {
            let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
            for (index, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated()
            {
                for day in 1...length {
                    let date = try #require(FullDate(year: year, month: index + 1, day: day))
                    guard date.daysSince1970 == number,
                        Timestamp(secondsSince1970: number * 86_400).dayInUTC == date,
                        Timestamp(secondsSince1970: number * 86_400 + 86_399).dayInUTC == date
                    else {
                        Issue.record("\(date)")
                        return
                    }
                    number += 1
                }
                #expect(FullDate(year: year, month: index + 1, day: length + 1) == nil)
            }
        }
        #expect(number == 157_054)
    }

    @Test("An instant is written as RFC 3339 in UTC, and read back")
    func description() throws {
        for seconds in [0, -1, 1, 951_782_399, 951_782_400, 1_709_210_096, 253_402_300_799, -62_167_219_200]
            as [Int64]
        {
            let instant = Timestamp(secondsSince1970: seconds)
            #expect(try #require(DateText(instant.description.utf8)).instant == instant)
            let formatted = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
            if seconds > 0 { #expect(instant.description == formatted) }
        }
        #expect(Timestamp(secondsSince1970: 1_793_534_400).description == "2026-11-01T12:00:00Z")
        #expect(FullDate(year: 26, month: 1, day: 9)?.description == "0026-01-09")
    }

    @Test("Instants and days are ordered")
    func order() throws {
        let days = try ["2025-12-31", "2026-01-01", "2026-01-02", "2026-02-01", "2027-01-01"].map {
            try #require(DateText($0.utf8))
        }
        for (earlier, later) in zip(days, days.dropFirst()) {
            #expect(earlier.instant < later.instant)
            guard case .day(let one) = earlier.value, case .day(let other) = later.value else {
                Issue.record("not days")
                return
            }
            #expect(one < other && !(other < one) && !(one < one))
        }
        #expect(Timestamp(secondsSince1970: 5).advanced(bySeconds: -6).secondsSince1970 == -1)
    }
}
