package dashboard

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/foxglove/mcap/go/mcap"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// replaysJSON is the list of open replays.
type replaysJSON struct{ Replays []replayedJSON }

// recordRun records the run through the page's API during various events, and returns the recording.
func recordRun(s *served) recordingJSON {
	s.t.Helper()
	robot, sensor := camera(s.t, s.sim.World())
	record := func(on bool) {
		s.t.Helper()
		tape := call[tapeJSON](s, "POST", "/api/recordings", fmt.Sprintf(`{"record": %v}`, on), 200)
		if tape.On != on || tape.Error != "" || on && !strings.HasPrefix(tape.Name, s.sim.World().Name+"-") {
			s.t.Fatalf("got %+v, want on = %v", tape, on)
		}
	}
	record(true)
	s.simulate(200 * time.Millisecond)
	s.do(`{"set_level": {"robot": "` + robot + `", "sensor": "` + sensor + `", "level": "truth"}}`)
	s.simulate(200 * time.Millisecond)
	s.do(`{"place": {"name": "ball", "x_m": 1, "y_m": 0, "vx_m_s": 2}}`)
	s.do(`{"game_command": {"command": "goal", "team": "magenta"}}`)
	s.simulate(400 * time.Millisecond)
	record(false)
	list := get[recordingsJSON](s, "/api/recordings").Recordings
	if len(list) == 0 || list[0].Damage != "" || list[0].Partial {
		s.t.Fatalf("got %+v, want a complete recording first", list)
	}
	return list[0]
}

// TestRecordAndReplay records a run from its middle, lists the recordings, and replays one alongside the run, with a
// timeline of events. External commands must not change the replay, and the replay must not change the run.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t), listening("127.0.0.1:0", t.TempDir()))
	s.simulate(500 * time.Millisecond)
	rec := recordRun(s)
	if length := rec.To - rec.From; !(rec.From >= 0.5 && length > 0.7 && length < 20) ||
		rec.World != s.sim.World().Name {
		t.Errorf("got %+v, want a recording from 0.5 s or later, of 0.7 s or more", rec)
	}
	for body, want := range map[string]string{`{"record": false}`: recorder.ErrNone.Error(),
		`{}`: "record: must be given", `{"record": 1}`: "body: ", `{"record": true, "name": "x"}`: "body: "} {
		s.refuses("/api/recordings", body, 400, want)
	}
	s.refuses("/api/seek", `{"time_s": 0}`, 400, "only a replay")
	s.refuses("/api/timeline", "", 400, "only a replay")

	open := fmt.Sprintf(`{"recording": %q, "time_s": %v}`, rec.ID, rec.From+0.3)
	replayed := call[replayedJSON](s, "POST", "/api/replays", open, 200)
	at := fmt.Sprintf("/api/replays/%d", replayed.ID)
	w := get[worldJSON](s, at+"/world")
	if w.Replay == nil || !w.Replay.Exact || !(math.Abs(w.Replay.From-rec.From) < 0.02) ||
		!(math.Abs(w.Replay.To-rec.To) < 0.1) || len(w.Robots) != 2 {
		t.Fatalf("got %+v, want the times of %+v", w.Replay, rec)
	}
	events := get[timelineJSON](s, at+"/timeline").Events
	var kinds []string
	for _, e := range events {
		if kinds = append(kinds, string(e.Kind)); !(e.Time >= rec.From && e.Time <= rec.To) || e.Text == "" {
			t.Errorf("got event %+v, want a text and a time in [%v, %v]", e, rec.From, rec.To)
		}
	}
	slices.Sort(kinds)
	if strings.Join(slices.Compact(slices.Clone(kinds)), " ") != "action goal level" || len(kinds) < 4 {
		t.Errorf("got %v, want four events or more, of kinds action, goal and level", events)
	}
	goal := events[slices.IndexFunc(events, func(e happened) bool { return e.Kind == replay.Goal })]
	must.Equal(t, goal.Text, "goal of magenta, 0 : 1", "goal")
	s.post(at+"/do", `{"pause": {}}`)
	seek := func(to float64) float64 {
		t.Helper()
		now := call[timeJSON](s, "POST", at+"/seek", fmt.Sprintf(`{"time_s": %v}`, to), 200).Time
		if !(math.Abs(now-to) < 0.011) {
			t.Errorf("a seek to %v s shows %v s", to, now)
		}
		return now
	}
	now := seek(goal.Time + 0.1)
	c := s.dial(at + "/state")
	if state := s.next(c, "a state", nil); state.Game.Magenta != 1 || !state.Paused ||
		!(math.Abs(state.At-now) < 1e-9) || !(state.Ball.VX > 1) {
		t.Errorf("after the goal: got %+v, want 0 : 1, paused at %v s, and a rolling ball", state, now)
	}
	robot, sensor := camera(t, s.sim.World())
	// A sensor is shown at another level than the recorded one, at any time of the replay.
	s.post(at+"/do", `{"set_level": {"robot": "`+robot+`", "sensor": "`+sensor+`", "level": "ideal"}}`)
	after := "0"
	for _, to := range []float64{now, rec.From + 0.1, now} {
		seek(to)
		until(t, "the picture of that time, after older ones", func() bool {
			status, head, _ := s.send("GET", at+"/cameras/"+robot+"/"+sensor+"/next?width=80&after="+after, "", nil)
			if status != 200 {
				t.Fatalf("a camera of the replay at %v s: got status %d, %v", to, status, head)
			}
			after = head.Get("Omnipitch-Frame")
			return head.Get("Omnipitch-Level") == "ideal" && math.Abs(number(t, head.Get("Omnipitch-Stamp"))-to) < 0.02
		})
	}
	s.refuses(at+"/do", `{"place": {"name": "ball", "x_m": 1}}`, 409, "")
	s.post(at+"/do", `{"set_speed": {"speed": "2"}}`)
	for body, want := range map[string]string{`{"time_s": -1}`: "must lie in", `{"time_s": 1e300}`: "must lie in",
		`{}`: "must be given", `{"time_s": "x"}`: "body"} {
		s.refuses(at+"/seek", body, 400, want)
	}
	// The replay stops at its end. Resuming it starts it from the beginning.
	seek(w.Replay.To)
	s.refuses(at+"/step", `{}`, 400, "ends here")
	s.post(at+"/do", `{"resume": {}}`)
	s.next(c, "the beginning again", func(now *stateJSON) bool { return !now.Paused && now.At < w.Replay.From+0.3 })
	s.next(c, "the end", func(now *stateJSON) bool { return now.Paused && now.At > w.Replay.To-0.01 })
	if s.sim.Clock().Paused() || s.sim.Match().Game().Score.Magenta != 1 {
		t.Error("the replay has changed the run")
	}

	// The number of replays is limited, and a replay without viewers ends.
	for range 2 * mostReplays { // each makes room for another one, because no page shows it
		s.post("/api/replays", open)
	}
	pages := []*websocket.Conn{c}
	for range mostReplays - 1 {
		b := call[replayedJSON](s, "POST", "/api/replays", open, 200)
		pages = append(pages, s.dial(fmt.Sprintf("/api/replays/%d/state", b.ID)))
	}
	s.refuses("/api/replays", open, 503, "at most 4")
	for _, c := range pages {
		_ = c.CloseNow()
	}
	s.replays.unseen.Store(1)
	until(t, "replays without viewers to be closed",
		func() bool { return len(get[replaysJSON](s, "/api/replays").Replays) == 0 })
	s.refuses(at+"/world", "", 404, "no such replay")
}

// TestOtherFiles checks that other files in the folder are not served: other kinds, links to the outside, and paths
// instead of ids. A damaged recording is marked as damaged. A recording that is active when the program ends is
// complete.
func TestOtherFiles(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	s := serve(t, small(t), listening("127.0.0.1:0", dir))
	rec := recordRun(s)
	data, err := os.ReadFile(filepath.Join(dir, rec.Name))
	for name, text := range map[string][]byte{filepath.Join(dir, "damaged.mcap"): data[:len(data)/2],
		filepath.Join(dir, "none.mcap"): []byte("no recording"), filepath.Join(dir, "key.pem"): []byte("secret"),
		filepath.Join(outside, "whole.mcap"): data} {
		err = errors.Join(err, os.WriteFile(name, text, 0o600))
	}
	for link, to := range map[string]string{"link.mcap": filepath.Join(outside, "whole.mcap"), "within.mcap": rec.Name,
		"folder.mcap": outside} {
		err = errors.Join(err, os.Symlink(to, filepath.Join(dir, link)))
	}
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]recordingJSON{}
	for _, r := range get[recordingsJSON](s, "/api/recordings").Recordings {
		found[r.Name] = r
	}
	if len(found) != 4 || found["damaged.mcap"].Damage == "" || found["none.mcap"].Damage == "" ||
		found["within.mcap"].World == "" || found[rec.Name].Damage != "" {
		t.Errorf("got %+v, want two damaged and two whole recordings", found)
	}
	open := func(id string) string { return fmt.Sprintf(`{"recording": %q}`, id) }
	for _, id := range []string{"", "x", rec.Name, "../" + filepath.Base(outside) + "/whole.mcap",
		filepath.Join(dir, rec.Name), idOf(s.folders.all[0], "link.mcap"), idOf(s.folders.all[0], "key.pem")} {
		s.refuses("/api/replays", open(id), 404, "no such recording")
	}
	if e := s.refuses("/api/replays", open(found["none.mcap"].ID), 400, ""); strings.Contains(e.Error, dir) {
		t.Errorf("the error reveals a path: %s", e.Error)
	}
	for _, path := range []string{"/api/recordings", "/api/replays"} {
		for _, change := range []func(*http.Request){header("Origin", "https://example.org"),
			func(r *http.Request) { r.Host = "rebound.example.org" }} {
			if status, _, _ := s.send("POST", path, open(rec.ID), change); status != 403 {
				t.Errorf("%s from elsewhere: got status %d, want 403", path, status)
			}
		}
	}
	tape := call[tapeJSON](s, "POST", "/api/recordings", `{"record": true}`, 200)
	s.simulate(100 * time.Millisecond)
	s.stop()
	last, err := replay.Open(filepath.Join(dir, tape.Name))
	if err != nil || last.Damage() != nil {
		t.Fatalf("got %v, %v, want a whole recording", err, last)
	}
	defer last.Close()
	if begin, ok := last.Begin(); !ok || last.Length() < begin+50*time.Millisecond {
		t.Errorf("got a recording from %v, %v, to %v, want 50 ms at least", begin, ok, last.Length())
	}
}

// TestSlowRecordings checks that a file that takes long to read holds up neither the others in the list, nor a replay
// of any file, and that a small file which decompresses to much is listed without decompressing all of it.
func TestSlowRecordings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, messages int) {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		w := must.Get(mcap.NewWriter(file, &mcap.WriterOptions{Chunked: true, ChunkSize: 1 << 20,
			Compression: mcap.CompressionZSTD, SkipMessageIndexing: true, SkipStatistics: true}))(t)
		err = errors.Join(w.WriteHeader(&mcap.Header{}), w.WriteMetadata(&mcap.Metadata{Name: "omnipitch",
			Metadata: map[string]string{recorder.WorldName: "derby", recorder.Begun: recorder.BegunLate}}),
			w.WriteChannel(&mcap.Channel{ID: 1, Topic: recorder.Switches, MessageEncoding: recording.ROSEncoding}))
		for i := range messages {
			err = errors.Join(err, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: uint64(i) * 1e9,
				Data: make([]byte, 1<<20)}))
		}
		must.Do(t, errors.Join(err, w.Close()))
	}
	write("a.mcap", 3)
	write("bomb.mcap", 200)
	write("slow.mcap", 1)
	folders := must.Get(openFolders([]string{dir}))(t)
	defer folders.close()
	for _, file := range folders.files() {
		if file.name == "slow.mcap" {
			folders.known[file.id] = &description{file: file, done: make(chan struct{})} // it is never read
		}
	}
	var all []recordingJSON
	found := map[string]recordingJSON{}
	until(t, "the description of bomb.mcap, which a busy machine reads for longer than a list takes", func() bool {
		all, _ = folders.list()
		for _, r := range all {
			found[r.Name] = r
		}
		return !found["bomb.mcap"].Unread
	})
	if a := found["a.mcap"]; len(all) != 3 || a.World != "derby" || a.To != 2 || a.Damage != "" || a.Unread {
		t.Errorf("got %+v, want a.mcap with 2 s of derby among three", all)
	}
	if slow := found["slow.mcap"]; !slow.Unread || slow.World != "" || slow.Size == 0 {
		t.Errorf("got %+v, want an unread recording with its size", slow)
	}
	if bomb := found["bomb.mcap"]; bomb.World != "derby" || bomb.To != 199 || bomb.Damage != "" {
		t.Errorf("got %+v, want 199 s of derby", bomb)
	}
	if file, err := folders.find(found["slow.mcap"].ID); err != nil || file.name != "slow.mcap" {
		t.Errorf("got %+v, %v, want slow.mcap", file, err)
	}
}

// failed runs a test that fails, and returns a folder with its results.
func failed(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	w := must.Get(worlds.Parse("slow.toml", []byte(`
name = "slow"
physics = { engine = "planar" }
robot = [{ name = "cyan1", model = "nubot", team = "cyan", pose = { x_m = -2 } }]
ball = { x_m = 0, y_m = 0, vx_m_s = 1 }
[[expect]]
name = "ball-is-fast"
within_s = 2.5
eventually = { speed = { name = "ball", over_m_s = 3 } }
`)))(t)
	setCameras(w, func(c *sensors.Config) { c.Level = abstraction.Truth })
	out := must.Get(output.Open("--out", dir, false))(t)
	defer out.Close()
	outcome := (&suite.Config{Worlds: []suite.World{{Argument: "slow.toml", World: w}}, Seeds: []uint64{3, 4}, Jobs: 1,
		For: 3 * time.Second, Out: out, Record: &recorder.Config{Program: "test"}}).Run(t.Context(), nil)
	must.Do(t, out.Write(suite.ResultsFile, outcome.PrintJSON))
	return dir
}

// TestResults checks that the results of omnipitch test are listed, with the recordings of failures.
func TestResults(t *testing.T) {
	t.Parallel()
	dir := failed(t)
	folders, err := openFolders([]string{dir, dir})
	if err != nil || len(folders.all) != 1 {
		t.Fatalf("got %v, %+v, want one folder", err, folders)
	}
	defer folders.close()
	r := folders.all[0].results()
	if r == nil || len(r.Worlds) != 1 || r.Worlds[0].Failed != 2 || len(r.Worlds[0].Failures) != 2 || r.Error != "" {
		t.Fatalf("got %+v, want one world with two failures", r)
	}
	f := r.Worlds[0].Failures[1]
	if _, err := folders.find(f.Recording); err != nil || f.Seed != 4 || len(f.Reasons) != 1 ||
		f.Reasons[0].Expectation != "ball-is-fast" || !(math.Abs(f.Reasons[0].Time-2.5) < 0.02) ||
		!strings.Contains(f.Again, "--seeds 4") {
		t.Errorf("got %v, %+v, want the failure of ball-is-fast with seed 4", err, f)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, suite.ResultsFile), []byte("{"), 0o600))
	if r := folders.all[0].results(); r == nil || !strings.Contains(r.Error,
		"is not a results file of omnipitch test") {
		t.Errorf("a damaged file of results: got %+v, want its error", r)
	}
	for want, seeds := range map[string][]uint64{"": nil, "7": {7}, "1..3, 5, 8..9": {1, 2, 3, 5, 8, 9}} {
		must.Equal(t, spans(seeds), want, "%v", seeds)
	}
}
