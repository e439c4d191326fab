import * as schema from "./generated";
import { readFileSync } from "fs";

function again(record: schema.StoredRecord): schema.StoredRecord | undefined {
  switch (record.recordType) {
    case "PublicFeed": return schema.encodePublicFeed(record.recordName, schema.decodePublicFeed(record));
    case "PublicArticle": return schema.encodePublicArticle(record.recordName, schema.decodePublicArticle(record));
    case "FeedCategory": return schema.encodeFeedCategory(record.recordName, schema.decodeFeedCategory(record));
    case "FeedCollection": return schema.encodeFeedCollection(record.recordName, schema.decodeFeedCollection(record));
    case "FeedMetadata": return schema.encodeFeedMetadata(record.recordName, schema.decodeFeedMetadata(record));
    default: return undefined;
  }
}

for (const line of readFileSync(process.argv[2], "utf8").split("\n").filter((line) => line !== "")) {
  const written = again(JSON.parse(line) as schema.StoredRecord);
  if (written !== undefined) console.log(JSON.stringify(written));
}
console.log(JSON.stringify(schema.updatePublicFeed({ title: null, qualityScore: 0.5 })));
try {
  schema.decodePublicFeed({ recordType: "PublicFeed", recordName: "f", fields: { title: { type: "INT64", value: 1 } } });
} catch (error) {
  console.log(error instanceof schema.RecordError ? `error: ${error.message}` : "another error");
}
