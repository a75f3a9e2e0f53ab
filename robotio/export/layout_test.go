package export

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Files of other programs, with messages outside of chunks, with chunks of lz4, and with a summary that lacks parts or
// is missing, are exported completely, and none of this is damage.
func TestFilesOfOtherPrograms(t *testing.T) {
	for name, messages := range map[string]int{"flat": 6, "flat-nosummary": 6, "flat-then-chunk": 7, "lz4": 6,
		"nosummary": 6, "nostatistics": 6} {
		r := opened(t, filepath.Join("testdata", name+".mcap"))
		if r.Damage() != nil {
			t.Errorf("%s: got damage %v, want none", name, r.Damage())
		}
		tables := files{}
		must.Get(CSV(t.Context(), r, Selection{}, tables.create))(t)
		want := "log_time,publish_time,data\n"
		for i := range messages {
			at := 0.5 * float64(max(i+6-messages, 0)) // the seventh message is at time 0, too
			want += fmt.Sprintf("%.9f,%.9f,%v\n", at, at, at)
		}
		must.Equal(t, tables["x.csv"].String(), want, "%s", name)
		bag := discard(t)
		must.Do(t, Bag(t.Context(), r, Selection{}, bag))
		if info := must.Get(bag.Stat())(t); info.Size() < bagHeaderSize+int64(messages)*8 {
			t.Errorf("%s: got a bag of %d bytes, want %d messages", name, info.Size(), messages)
		}
	}
}

// An export without messages is an error, for every format.
func TestEmptyExport(t *testing.T) {
	path := recorded(t, func(w *recording.Writer) {
		c := channel(t, w, "/omnipitch/truth", truthType)
		for _, at := range []time.Duration{0, time.Second} {
			c.Write(at, at, make([]byte, 100))
		}
	})
	r, between := opened(t, path), Selection{From: time.Millisecond, For: time.Millisecond}
	tables := files{}
	_, csv := CSV(t.Context(), r, between, tables.create)
	_, bag2 := Rosbag2(t.Context(), r, between, "x", files{}.create, func(error) {})
	for name, err := range map[string]error{"bag": Bag(t.Context(), r, between, discard(t)), "csv": csv,
		"rosbag2": bag2, "msl": MSL(t.Context(), r, between, duel(t), MSLConfig{Name: "x", Rate: 10}, discard(t))} {
		if want := path + ": has no message of these topics in this time"; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	must.Equal(t, len(tables), 0, "tables of an empty export")
}
