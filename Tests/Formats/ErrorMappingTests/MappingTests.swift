import ErrorMapping
import Testing

private enum Cause: Error, Equatable { case odd(Int) }

private enum Fault: Error, Equatable {
    case cause(Cause)
    case at(Int, Cause)
}

private struct Half: ~Copyable {
    let value: Int

    init(of number: Int) throws(Cause) {
        guard number.isMultiple(of: 2) else { throw .odd(number) }
        value = number / 2
    }
}

@Suite("One typed error as another")
struct MappingTests {
    private func half(of number: Int) throws(Fault) -> Int {
        let half = try mapping(Half(of: number), Fault.cause)
        return half.value
    }

    private func halve(_ numbers: inout [Int]) throws(Fault) {
        for place in numbers.indices {
            try mapping(numbers[place] = Half(of: numbers[place]).value) { (error: Cause) in
                Fault.at(place, error)
            }
        }
    }

    @Test("What the body returns comes through, also where it cannot be copied")
    func value() throws {
        #expect(try half(of: 8) == 4)
    }

    @Test("The error of the body is thrown as a case that holds it")
    func turned() {
        #expect(throws: Fault.cause(.odd(7))) { try half(of: 7) }
    }

    @Test("A closure adds where it was; what the body changed before stays changed")
    func changed() {
        var numbers = [2, 4, 5, 8]
        #expect(throws: Fault.at(2, .odd(5))) { try halve(&numbers) }
        #expect(numbers == [1, 2, 5, 8])
    }
}
