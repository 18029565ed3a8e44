internal import CBOR
internal import Foundation
internal import MdocModel

extension ElementReader {
    typealias Elements = MobileDriversLicenseDataRequest.Response.DocumentElements

    /// Nil if one entry is malformed: half a list may lack what limits the rest.
    var drivingPrivileges: [Elements.DrivingPrivilege]? {
        let list = value("driving_privileges").flatMap { try? DrivingPrivilege.list($0) }
        return list?.map { entry in
            Elements.DrivingPrivilege(
                vehicleCategoryCode: entry.vehicleCategoryCode,
                issueDate: entry.issueDate.map { DateComponents($0) },
                expirationDate: entry.expiryDate.map { DateComponents($0) },
                codes: entry.codes.compactMap { restriction in
                    restriction.code.map { .init(code: $0, sign: restriction.sign, value: restriction.value) }
                })
        }
    }

    var aamvaDrivingPrivileges: [Elements.AAMVADrivingPrivilege]? {
        let list = value("domestic_driving_privileges").flatMap { try? DomesticDrivingPrivilege.list($0) }
        return list?.map { entry in
            Elements.AAMVADrivingPrivilege(
                vehicleClass: entry.vehicleClass.map { vehicle in
                    .init(
                        code: vehicle.code, description: vehicle.description ?? "",
                        issueDate: vehicle.issueDate.map { DateComponents($0) },
                        expirationDate: vehicle.expiryDate.map { DateComponents($0) })
                },
                vehicleEndorsements: entry.endorsements.map {
                    .init(code: $0.code, description: $0.value ?? "")
                },
                vehicleRestrictions: entry.restrictions.map {
                    .init(code: $0.code, description: $0.value ?? "")
                })
        }
    }
}
