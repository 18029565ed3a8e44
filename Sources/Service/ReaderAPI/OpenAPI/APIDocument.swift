/// The contract of the API: the OpenAPI 3.1 document that is served.
enum APIDocument {
    static let bytes = PackageResources.openapi_json
}
