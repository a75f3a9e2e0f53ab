package export

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// exporters returns all kinds of export.
func exporters(t *testing.T) map[string]func(*recording.Reader) error {
	world := duel(t)
	return map[string]func(*recording.Reader) error{
		"bag": func(r *recording.Reader) error { return Bag(t.Context(), r, Selection{}, discard(t)) },
		"csv": func(r *recording.Reader) error {
			_, err := CSV(t.Context(), r, Selection{}, files{}.create)
			return err
		},
		"msl": func(r *recording.Reader) error {
			return MSL(t.Context(), r, Selection{}, world, MSLConfig{Name: "x", Rate: 10}, io.Discard)
		},
	}
}

// Exports of a damaged or truncated file, or of invalid messages, fail with one sentence that names the file.
func TestHostileRecordings(t *testing.T) {
	path := recorded(t, func(w *recording.Writer) {
		r := rand.New(rand.NewPCG(2, 2))
		for _, typ := range []string{"std_msgs/String", "sensor_msgs/Image", "sensor_msgs/CompressedImage",
			"sensor_msgs/LaserScan", "omnipitch_msgs/Truth"} {
			c := channel(t, w, "/"+typ, typ)
			for i := range 50 {
				b := make([]byte, r.IntN(200))
				for j := range b {
					b[j] = byte(r.IntN(4) * r.IntN(40))
				}
				c.Write(time.Duration(i)*time.Millisecond, 0, b)
			}
		}
	})
	whole := must.Get(os.ReadFile(path))(t)
	r := rand.New(rand.NewPCG(3, 3))
	path = filepath.Join(t.TempDir(), "h.mcap")
	failed, all := map[string]int{}, exporters(t)
	for range 300 {
		b := append([]byte(nil), whole...)
		for range r.IntN(4) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		if r.IntN(4) == 0 {
			b = b[:r.IntN(len(b))]
		}
		must.Do(t, os.WriteFile(path, b, 0o600))
		reader, err := recording.Open(path)
		if err != nil {
			continue
		}
		for name, do := range all {
			if err := do(reader); err != nil {
				failed[name]++
				if text := err.Error(); !strings.HasPrefix(text, path+": ") || strings.Count(text, path) != 1 ||
					strings.Contains(text, "\n") {
					t.Errorf("%s: %q: must be one sentence with the file's name", name, text)
				}
			}
		}
		reader.Close()
	}
	for name := range all {
		if failed[name] < 10 {
			t.Errorf("%s: only %d of 300 failed", name, failed[name])
		}
	}
}
