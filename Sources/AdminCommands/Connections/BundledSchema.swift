/// The project's own schemas, carried in the binary so that it can stand alone. A test holds them against the files.
struct BundledSchema {
  let name: String
  /// The type that tells a container of this schema.
  let mainType: String
  let text: String

  static let all = [celestra, celestraFeed, liveSessions]

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
              checkedURL             STRING,
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
              title           STRING QUERYABLE SEARCHABLE SORTABLE,
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

  static let celestraFeed = BundledSchema(
    name: "celestra-feed.ckdb", mainType: "Feed",
    text: """
      // The record types Feed and Article of the Celestra apps and of celestra-cloud, with the indexes and grants those
      // need, subscriptions that only their creator and the catalog's keepers may read, and this tool's lease.

      DEFINE SCHEMA

          CREATE ROLE CatalogAdmin;

          // Held by a job while it writes, so that two runs do not overlap.
          RECORD TYPE AdminLease (
              "___recordID" REFERENCE QUERYABLE,
              expiresAt     TIMESTAMP,
              holder        STRING,
              purpose       STRING,
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          // One item of a feed, kept until expiresAt.
          RECORD TYPE Article (
              "___recordID"        REFERENCE QUERYABLE,
              author               STRING,
              content              STRING,
              contentHash          STRING QUERYABLE,
              contentText          STRING,
              // The older name of excerpt: production cannot drop a field.
              description          STRING,
              estimatedReadingTime INT64,
              excerpt              STRING,
              expiresAt            TIMESTAMP QUERYABLE SORTABLE,
              // The record name of the article's Feed.
              feedRecordName       STRING QUERYABLE SORTABLE,
              fetchedAt            TIMESTAMP SORTABLE,
              guid                 STRING QUERYABLE SORTABLE,
              // The older name of url.
              link                 STRING,
              // The older name of publishedDate.
              pubDate              TIMESTAMP,
              publishedDate        TIMESTAMP QUERYABLE SORTABLE,
              title                STRING,
              url                  STRING,
              wordCount            INT64,
              GRANT WRITE TO "_creator",
              GRANT CREATE TO "_icloud",
              GRANT READ TO "_world",
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          RECORD TYPE Feed (
              "___recordID"      REFERENCE QUERYABLE,
              category           STRING QUERYABLE,
              description        STRING,
              etag               STRING,
              // Consecutive failures; a success sets it to 0.
              failureCount       INT64,
              feedURL            STRING QUERYABLE SORTABLE,
              imageURL           STRING,
              isFeatured         INT64 QUERYABLE,
              isVerified         INT64 QUERYABLE,
              lastAttempted      TIMESTAMP QUERYABLE SORTABLE,
              lastFailureReason  STRING,
              lastModified       STRING,
              // Seconds, as updateFrequency.
              minUpdateInterval  DOUBLE,
              // 0 to 100.
              qualityScore       INT64 QUERYABLE SORTABLE,
              siteURL            STRING,
              // Counted from FeedSubscription.
              subscriberCount    INT64 QUERYABLE SORTABLE,
              successfulAttempts INT64,
              title              STRING SORTABLE,
              totalAttempts      INT64,
              updateFrequency    DOUBLE,
              // The older name of subscriberCount.
              usageCount         INT64 QUERYABLE SORTABLE,
              GRANT READ TO "_world",
              GRANT READ, CREATE, WRITE TO CatalogAdmin
          );

          // Its record name is a digest of feed and user; strangers must not read it, because it names its creator.
          RECORD TYPE FeedSubscription (
              "___recordID"  REFERENCE QUERYABLE,
              feedRecordName STRING QUERYABLE SORTABLE,
              GRANT READ, WRITE TO "_creator",
              GRANT CREATE TO "_icloud",
              GRANT READ TO CatalogAdmin
          );

          RECORD TYPE Users (
              "___recordID" REFERENCE,
              roles         LIST<INT64>,
              GRANT WRITE TO "_creator",
              GRANT READ TO "_world"
          );

      """)

  static let liveSessions = BundledSchema(
    name: "live-sessions.ckdb", mainType: "LiveSession",
    text: """
      // Live sessions shared between users: only people who are signed in can read them, only who made a record or a
      // moderator can change it. Participants are counted by a job, because joining does not allow changing a session.

      DEFINE SCHEMA

          CREATE ROLE Moderator;

          RECORD TYPE AdminLease (
              "___recordID" REFERENCE QUERYABLE,
              expiresAt     TIMESTAMP,
              holder        STRING,
              purpose       STRING,
              GRANT READ, CREATE, WRITE TO Moderator
          );

          RECORD TYPE ChatMessage (
              "___recordID" REFERENCE QUERYABLE,
              message       STRING,
              messageType   STRING,
              sessionId     STRING QUERYABLE,
              timestamp     TIMESTAMP QUERYABLE SORTABLE,
              // celestra:ignore CK0306 a message shows its sender; the app writes a pseudonym for each session here
              userId        STRING QUERYABLE,
              userName      STRING,
              GRANT WRITE TO "_creator",
              GRANT READ, CREATE TO "_icloud",
              GRANT READ, WRITE TO Moderator
          );

          RECORD TYPE LiveSession (
              "___recordID"       REFERENCE QUERYABLE,
              category            STRING QUERYABLE,
              createdAt           TIMESTAMP SORTABLE,
              // Counted from LiveSessionParticipant.
              currentParticipants INT64,
              details             STRING,
              endTime             TIMESTAMP,
              // celestra:ignore CK0306 a session shows its host; the app writes a pseudonym for each session here
              hostId              STRING QUERYABLE,
              isActive            INT64 QUERYABLE,
              // celestra:ignore CK0308 a wish of the host that the app honours in its lists; it protects nothing
              isPrivate           INT64 QUERYABLE,
              maxParticipants     INT64,
              startTime           TIMESTAMP QUERYABLE SORTABLE,
              tags                LIST<STRING> QUERYABLE,
              title               STRING,
              GRANT WRITE TO "_creator",
              GRANT READ, CREATE TO "_icloud",
              GRANT READ, WRITE TO Moderator
          );

          RECORD TYPE LiveSessionParticipant (
              "___recordID" REFERENCE QUERYABLE,
              isActive      INT64 QUERYABLE,
              isHost        INT64,
              joinedAt      TIMESTAMP SORTABLE,
              leftAt        TIMESTAMP,
              sessionId     STRING QUERYABLE,
              // celestra:ignore CK0306 the others see who takes part; the app writes a pseudonym for each session here
              userId        STRING QUERYABLE,
              userName      STRING,
              GRANT WRITE TO "_creator",
              // celestra:ignore CK0305 the others see who takes part; nobody but people who are signed in does
              GRANT READ, CREATE TO "_icloud",
              GRANT READ, WRITE TO Moderator
          );

          RECORD TYPE Users (
              "___recordID" REFERENCE,
              roles         LIST<INT64>,
              GRANT WRITE TO "_creator",
              GRANT READ TO "_world"
          );

      """)
}
