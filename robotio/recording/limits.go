package recording

// limits bounds what a reader accepts in a file, in bytes unless said otherwise.
type limits struct {
	chunk      int64 // a chunk, compressed or not
	open       int64 // chunks in memory at once, because their times overlap
	summary    int64 // index and summary of a file
	listed     int64 // schemas, channels and metadata of a file together
	inspected  int64 // chunks that are decompressed to find their channels
	attachment int64
	chunks     int // number of chunks
	attached   int // number of attachments
}

// standard are the default limits. A chunk holds at least the largest message. The others are guesses: a day in real
// time has 90,000 chunks.
var standard = limits{chunk: MaxMessage + 64<<20, open: 2 * (MaxMessage + 64<<20), summary: 256 << 20, listed: 64 << 20,
	inspected: 4 << 30, attachment: 256 << 20,
	chunks: 1 << 20, attached: 1 << 16}
