/// The project's own schemas, carried in the binary so that it can stand alone. A test holds them against the files.
struct BundledSchema {
  let name: String
  /// The type that tells a container of this schema.
  let mainType: String
  let text: String

  static let all = [celestra]

  static let celestra = BundledSchema(
    name: "celestra.ckdb", mainType: "PublicFeed",
    text: """
      DEFINE SCHEMA

          CREATE ROLE CatalogAdmin;

          RECORD TYPE AdminLease (
              "___recordID" REFERENCE QUERYABLE,
              expiresAt     TIMESTAMP,
              holder        STRING,
              purpose       STRING,
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          RECORD TYPE FeedCategory (
              "___recordID"  REFERENCE QUERYABLE,
              color          STRING,
              description    STRING,
              icon           STRING,
              name           STRING QUERYABLE SORTABLE,
              parentCategory REFERENCE QUERYABLE,
              slug           STRING QUERYABLE,
              sortOrder      INT64 SORTABLE,
              GRANT READ TO "_world",
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          RECORD TYPE FeedCollection (
              "___recordID"   REFERENCE QUERYABLE,
              coverImageURL   STRING,
              createdAt       TIMESTAMP SORTABLE,
              curatorName     STRING,
              description     STRING,
              feeds           LIST<REFERENCE>,
              isFeatured      INT64 QUERYABLE,
              subscriberCount INT64 SORTABLE,
              tags            LIST<STRING> QUERYABLE,
              title           STRING QUERYABLE SORTABLE,
              updatedAt       TIMESTAMP SORTABLE,
              GRANT READ TO "_world",
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          RECORD TYPE FeedMetadata (
              "___recordID"          REFERENCE QUERYABLE,
              averageArticlesPerWeek DOUBLE,
              averageRating          DOUBLE SORTABLE,
              completeness           DOUBLE,
              dailyChecks            LIST<INT64>,
              etag                   STRING,
              failureCount           INT64,
              feedReference          REFERENCE QUERYABLE,
              fullContent            DOUBLE,
              healthStatus           STRING QUERYABLE,
              idHygiene              DOUBLE,
              itemGapVariation       DOUBLE,
              lastFailureReason      STRING,
              lastFetchFailure       TIMESTAMP,
              lastFetchSuccess       TIMESTAMP SORTABLE,
              lastHealthCheck        TIMESTAMP SORTABLE,
              lastModified           STRING,
              medianItemGap          INT64,
              newestItem             TIMESTAMP,
              nextCheck              TIMESTAMP,
              ratingCount            INT64,
              redirectCount          INT64,
              redirectURL            STRING,
              statusSince            TIMESTAMP,
              subscriberCount        INT64 SORTABLE,
              successfulAttempts     INT64,
              totalAttempts          INT64,
              transportQuality       DOUBLE,
              uptimePercentage       DOUBLE SORTABLE,
              validity               DOUBLE,
              GRANT READ TO "_world",
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          RECORD TYPE FeedSubscription (
              "___recordID"  REFERENCE QUERYABLE,
              feedRecordName STRING QUERYABLE SORTABLE,
              GRANT READ, WRITE TO "_creator",
              GRANT CREATE TO "_icloud",
              GRANT READ TO CatalogAdmin
          );

          RECORD TYPE PublicArticle (
              "___recordID"        REFERENCE QUERYABLE,
              author               STRING,
              content              STRING,
              contentHash          STRING QUERYABLE,
              contentText          STRING,
              estimatedReadingTime INT64,
              excerpt              STRING,
              expiresAt            TIMESTAMP QUERYABLE SORTABLE,
              feedReference        REFERENCE QUERYABLE,
              fetchedAt            TIMESTAMP SORTABLE,
              guid                 STRING QUERYABLE,
              imageURL             STRING,
              language             STRING QUERYABLE,
              publishedDate        TIMESTAMP SORTABLE,
              tags                 LIST<STRING> QUERYABLE,
              title                STRING QUERYABLE SORTABLE,
              url                  STRING QUERYABLE,
              wordCount            INT64,
              GRANT WRITE TO "_creator",
              GRANT CREATE TO "_icloud",
              GRANT READ TO "_world",
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          RECORD TYPE PublicFeed (
              "___recordID"   REFERENCE QUERYABLE,
              addedAt         TIMESTAMP SORTABLE,
              category        REFERENCE QUERYABLE,
              feedURL         STRING QUERYABLE,
              imageURL        STRING,
              isFeatured      INT64 QUERYABLE,
              isVerified      INT64 QUERYABLE,
              language        STRING QUERYABLE,
              lastVerified    TIMESTAMP SORTABLE,
              qualityScore    DOUBLE SORTABLE,
              siteURL         STRING,
              subscriberCount INT64 SORTABLE,
              subtitle        STRING,
              tags            LIST<STRING> QUERYABLE,
              title           STRING QUERYABLE SORTABLE SEARCHABLE,
              updateFrequency INT64 SORTABLE,
              GRANT READ TO "_world",
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          RECORD TYPE Users (
              "___recordID" REFERENCE,
              roles         LIST<INT64>,
              GRANT WRITE TO "_creator",
              GRANT READ TO "_world"
          );

      """)
}
