internal import CloudKitModel
internal import Diagnostics
internal import Foundation  // sin, cos and asin: FoundationEssentials has them on no platform alike
internal import GRDB

/// Distances on the Earth, for the NEAR comparator and for sorting by distance.
enum EarthDistance {
  /// The Earth's mean radius in meters.
  private static let earthRadius = 6_371_008.8

  /// The haversine distance in meters.
  static func distance(_ a: (latitude: Double, longitude: Double), _ b: (latitude: Double, longitude: Double))
    -> Double
  {
    let radians = Double.pi / 180
    let latitudes = sin((b.latitude - a.latitude) * radians / 2)
    let longitudes = sin((b.longitude - a.longitude) * radians / 2)
    let chord =
      latitudes * latitudes + cos(a.latitude * radians) * cos(b.latitude * radians) * longitudes * longitudes
    return 2 * earthRadius * asin(min(1, chord.squareRoot()))
  }

  /// The SQL for the distance in meters between a stored location and a query's location.
  static func sql(distanceOf operand: String, to location: Location) -> String {
    "distance(\(operand), \(location.latitude), \(location.longitude))"
  }

  /// `distance(location, latitude, longitude)`: NULL when there is no location.
  static let function = DatabaseFunction("distance", argumentCount: 3, pure: true) { values in
    guard let text = String.fromDatabaseValue(values[0]), let latitude = Double.fromDatabaseValue(values[1]),
      let longitude = Double.fromDatabaseValue(values[2]), let json = try? JSONValue(parsing: text),
      let from = json["latitude"]?.number, let to = json["longitude"]?.number
    else { return nil }
    return distance((from, to), (latitude, longitude))
  }
}
