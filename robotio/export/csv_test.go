package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// files are tables in memory.
type files map[string]*bytes.Buffer

type file struct{ *bytes.Buffer }

func (file) Close() error { return nil }

func (f files) create(name string) (io.WriteCloser, error) {
	if f[name] != nil {
		return nil, fmt.Errorf("%s: is there", name)
	}
	f[name] = &bytes.Buffer{}
	return file{f[name]}, nil
}

// Each topic becomes a table with the names and values of its fields, and times.
func TestCSV(t *testing.T) {
	const nasty = "a,b \"c\"\n d"
	path := recorded(t, func(w *recording.Writer) {
		text, truth := channel(t, w, "/cyan1/say", "std_msgs/String"), channel(t, w, "/omnipitch/truth",
			"omnipitch_msgs/Truth")
		text.Write(1500*time.Millisecond, 500*time.Millisecond, encodedText(nasty))
		channel(t, w, "/cyan1/say", "std_msgs/String").Write(2*time.Second, 0, encodedText("of another publisher"))
		channel(t, w, "/cyan1/say", "std_msgs/Bool").Write(2*time.Second, 0, []byte{1})
		channel(t, w, "//../x y", "std_msgs/Bool").Write(2*time.Second, 0, []byte{0})
		codec := must.Get(msg.Compile[msg.Truth](definitionOf(t, "omnipitch_msgs/Truth")))(t)
		m := msg.Truth{Step: 7,
			Bodies: []msg.Body{{Name: "ball", Pose: msg.Pose{Position: msg.Point{X: 1.25, Y: -1e-9}}}, {Name: "cyan1"}}}
		truth.Write(0, 0, codec.Append(nil, &m))
		m.Bodies = m.Bodies[:1]
		truth.Write(1, 1, codec.Append(nil, &m))
	})
	got := files{}
	names := must.Get(CSV(t.Context(), opened(t, path), Selection{}, got.create))(t)
	slices.Sort(names)
	if want := []string{"__.x_y.csv", "cyan1.say.2.csv", "cyan1.say.csv", "omnipitch.truth.csv"}; !slices.Equal(names,
		want) {
		t.Fatalf("files %q, want %q", names, want)
	}
	said, truth := "cyan1.say.csv", "omnipitch.truth.csv"
	if strings.Contains(got[said].String(), "true") {
		said = "cyan1.say.2.csv" // types of a topic are sorted by name
	}
	rows, err := csv.NewReader(got[said]).ReadAll()
	want := [][]string{{"log_time", "publish_time", "data"}, {"1.500000000", "0.500000000", nasty},
		{"2.000000000", "0.000000000", "of another publisher"}}
	if d := gocmp.Diff(want, rows); d != "" || err != nil {
		t.Errorf("%s: %v (-want +got):\n%s", said, err, d)
	}
	rows, err = csv.NewReader(got[truth]).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%s: %d rows, %v", truth, len(rows), err)
	}
	for i, want := range []map[string]string{
		{"step": "7", "bodies[0].name": "ball", "bodies[0].pose.position.x": "1.25",
			"bodies[0].pose.position.y": "-1e-09", "bodies[1].name": "cyan1", "log_time": "0.000000000"},
		{"step": "7", "bodies[0].name": "ball", "bodies[1].name": "", "bodies[1].pose.position.x": "",
			"log_time": "0.000000001"},
	} {
		for name, value := range want {
			if at := slices.Index(rows[0], name); at < 0 || rows[i+1][at] != value {
				t.Errorf("row %d: %s = %q, want %q", i, name, rows[i+1], value)
			}
		}
	}
}

// An export ends with its context, and with the first file that fails.
func TestCSVEnds(t *testing.T) {
	path := recorded(t, func(w *recording.Writer) {
		channel(t, w, "/a", "std_msgs/String").Write(0, 0, encodedText("a"))
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if names, err := CSV(ctx, opened(t, path), Selection{}, files{}.create); !errors.Is(err, context.Canceled) ||
		len(names) > 0 {
		t.Errorf("%q, %v", names, err)
	}
	full := errors.New("no room")
	if _, err := CSV(t.Context(), opened(t, path), Selection{}, func(string) (io.WriteCloser, error) {
		return nil, full
	}); !errors.Is(err, full) {
		t.Error(err)
	}
	if _, err := CSV(t.Context(), opened(t, path), Selection{}, func(string) (io.WriteCloser,
		error) {
		return failing{full}, nil
	}); !errors.Is(err, full) {
		t.Error(err)
	}
}

// failing is a file on a full disk.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
func (failing) Close() error                { return nil }
