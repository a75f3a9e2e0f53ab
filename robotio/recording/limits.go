package recording

// limits bounds what a file may ask of its reader, in bytes unless said otherwise.
type limits struct {
	chunk      int64 // a chunk, compressed or not
	open       int64 // chunks that are read at once, because their times overlap
	summary    int64 // index and summary of a file
	listed     int64 // schemas, channels and metadata of a file together
	looked     int64 // chunks that are decompressed to find out what is in them
	attachment int64
	chunks     int // how many
	attached   int // attachments, how many
}

// standard are the limits of files: a chunk holds at least the largest message, others are guesses. A day in real time
// has 90,000 chunks.
var standard = limits{chunk: MaxMessage + 64<<20, open: 2 * (MaxMessage + 64<<20), summary: 256 << 20, listed: 64 << 20,
	looked: 4 << 30, attachment: 256 << 20,
	chunks: 1 << 20, attached: 1 << 16}
