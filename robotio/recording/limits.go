package recording

// limits holds the limits of what a reader accepts in a file. They are in bytes, unless the comment says something
// else.
type limits struct {
	chunk      int64 // size of a chunk, compressed or not
	open       int64 // total size of the chunks that are in memory together because their times overlap
	summary    int64 // size of the index and the summary of a file
	listed     int64 // total size of the schemas, channels and metadata of a file
	inspected  int64 // total size of the chunks that are decompressed to find their channels
	attachment int64
	chunks     int // number of chunks
	attached   int // number of attachments
}

// standard holds the default limits. A chunk can hold at least the largest message. The other values are guesses: a
// recording of a day in real time has 90,000 chunks.
var standard = limits{chunk: MaxMessage + 64<<20, open: 2 * (MaxMessage + 64<<20), summary: 256 << 20, listed: 64 << 20,
	inspected: 4 << 30, attachment: 256 << 20,
	chunks: 1 << 20, attached: 1 << 16}
