public import SchemaLanguage

extension FieldType {
  /// The type a declared field's values have. `NUMBER` without a preference holds doubles; encryption does not
  /// change the type of what is inside.
  public init(_ declared: DataType) {
    switch declared {
    case .scalar(let primitive): self = .scalar(ScalarType(primitive))
    case .list(let primitive): self = .list(ScalarType(primitive))
    }
  }
}

extension ScalarType {
  init(_ primitive: Primitive) {
    switch primitive {
    case .plain(let type), .encrypted(let type), .number(preferred: let type?): self.init(type)
    case .asset: self = .asset
    case .reference: self = .reference
    case .number(preferred: nil): self = .double
    }
  }

  private init(_ type: Primitive.Encryptable) {
    switch type {
    case .bytes: self = .bytes
    case .string: self = .string
    case .double: self = .double
    case .int64: self = .int64
    case .location: self = .location
    case .timestamp: self = .timestamp
    }
  }
}
