package dashboard

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/worlds"
)

// call sends a request, checks the status of its answer, and decodes the answer.
func call[T any](s *served, method, path, body string, want int) (answer T) {
	s.t.Helper()
	status, _, text := s.send(method, path, body, nil)
	if status != want {
		s.t.Fatalf("%s %s %s: %d, %s, want %d", method, path, body, status, text, want)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		s.t.Fatalf("%s: %v in %s", path, err, text)
	}
	return answer
}

// recordRun records the run through the page's API during various events, and returns the recording.
func recordRun(s *served) recordingJSON {
	s.t.Helper()
	robot, sensor := camera(s.t, s.sim.World())
	after := func(seconds float64) {
		end := s.truth.Load().Time.Seconds() + seconds
		until(s.t, "time to go by", func() bool { return s.truth.Load().Time.Seconds() >= end })
	}
	if tape := call[tapeJSON](s, "POST", "/api/recordings", `{"record": true}`, 200); !tape.On ||
		!strings.HasPrefix(tape.Name, s.sim.World().Name+"-") {
		s.t.Fatalf("%+v", tape)
	}
	after(0.2)
	s.do(`{"set_level": {"robot": "` + robot + `", "sensor": "` + sensor + `", "level": "truth"}}`)
	after(0.2)
	s.do(`{"place": {"name": "ball", "x_m": 1, "y_m": 0, "vx_m_s": 2}}`)
	s.do(`{"game_command": {"command": "goal", "team": "magenta"}}`)
	after(0.4)
	if tape := call[tapeJSON](s, "POST", "/api/recordings", `{"record": false}`, 200); tape.On || tape.Error != "" {
		s.t.Fatalf("%+v", tape)
	}
	list := call[recordingsJSON](s, "GET", "/api/recordings", "", 200)
	if len(list.Recordings) == 0 || list.Recordings[0].Damage != "" || list.Recordings[0].Partial {
		s.t.Fatalf("%+v", list)
	}
	return list.Recordings[0]
}

// TestRecordAndReplay records a run from its middle, lists the recordings, and replays one alongside the run, with a
// timeline of events. External commands must not change the replay, and the replay must not change the run.
func TestRecordAndReplay(t *testing.T) {
	dir := t.TempDir()
	s := serveAt(t, small(t), "127.0.0.1:0", dir)
	until(t, "half a second", func() bool { return s.truth.Load().Time > 500*time.Millisecond })
	rec := recordRun(s)
	if length := rec.To - rec.From; !(rec.From >= 0.5 && length > 0.7 && length < 20) ||
		rec.World != s.sim.World().Name {
		t.Errorf("%+v", rec)
	}
	for _, c := range []struct{ body, want string }{
		{`{"record": false}`, recorder.ErrNone.Error()}, {`{}`, "record: must be given"}, {`{"record": 1}`, "body: "},
		{`{"record": true, "name": "x"}`, "body: "},
	} {
		if e := call[refusalJSON](s, "POST", "/api/recordings", c.body, 400); !strings.Contains(e.Error, c.want) {
			t.Errorf("%s: %s", c.body, e.Error)
		}
	}
	call[refusalJSON](s, "POST", "/api/seek", `{"time_s": 0}`, 400) // the run cannot seek
	call[refusalJSON](s, "GET", "/api/timeline", "", 400)

	open := call[replayedJSON](s, "POST", "/api/replays", fmt.Sprintf(`{"recording": %q, "time_s": %v}`, rec.ID,
		rec.From+0.3), 200)
	at := fmt.Sprintf("/api/replays/%d", open.ID)
	w := call[worldJSON](s, "GET", at+"/world", "", 200)
	if w.Replay == nil || !w.Replay.Exact || !(math.Abs(w.Replay.From-rec.From) < 0.02) ||
		!(math.Abs(w.Replay.To-rec.To) < 0.1) || len(w.Robots) != 2 {
		t.Fatalf("%+v, recorded %+v", w.Replay, rec)
	}
	line := call[timelineJSON](s, "GET", at+"/timeline", "", 200)
	var kinds []string
	for _, e := range line.Events {
		if kinds = append(kinds, string(e.Kind)); !(e.Time >= rec.From && e.Time <= rec.To) || e.Text == "" {
			t.Errorf("%+v", e)
		}
	}
	slices.Sort(kinds)
	if strings.Join(slices.Compact(slices.Clone(kinds)), " ") != "action goal level" || len(kinds) < 4 {
		t.Errorf("events %v", line.Events)
	}
	goal := slices.IndexFunc(line.Events, func(e happened) bool { return e.Kind == replay.Goal })
	if got := line.Events[goal].Text; got != "goal of magenta, 0 : 1" {
		t.Errorf("the goal is %q", got)
	}
	s.post(at+"/do", `{"pause": {}}`, 200)
	now := call[struct {
		Time float64 `json:"time_s"`
	}](s, "POST", at+"/seek", fmt.Sprintf(`{"time_s": %v}`, line.Events[goal].Time+0.1), 200)
	if !(math.Abs(now.Time-line.Events[goal].Time-0.1) < 0.011) {
		t.Errorf("went to %v, the goal was at %v", now.Time, line.Events[goal].Time)
	}
	c := s.watchAt(at)
	if state := s.next(c, "a state", func(*stateJSON) bool { return true }); state.Game.Magenta != 1 || !state.Paused ||
		!(math.Abs(state.At-now.Time) < 1e-9) || !(state.Ball.VX > 1) {
		t.Errorf("after the goal: %+v", state)
	}
	robot, sensor := camera(t, s.sim.World())
	// A sensor is shown at another level than the recorded one, at any time of the replay.
	s.post(at+"/do", `{"set_level": {"robot": "`+robot+`", "sensor": "`+sensor+`", "level": "ideal"}}`, 200)
	after := "0"
	for _, to := range []float64{now.Time, rec.From + 0.1, now.Time} {
		s.post(at+"/seek", fmt.Sprintf(`{"time_s": %v}`, to), 200)
		until(t, "the picture of then, after those that were under way", func() bool {
			status, head, _ := s.send("GET", at+"/cameras/"+robot+"/"+sensor+"/next?width=80&after="+after, "", nil)
			if status != 200 {
				t.Fatalf("a camera of the replay at %v: %d, %v", to, status, head)
			}
			after = head.Get("Omnipitch-Frame")
			return head.Get("Omnipitch-Level") == "ideal" && math.Abs(number(t, head.Get("Omnipitch-Stamp"))-to) < 0.02
		})
	}
	for body, want := range map[string]int{`{"place": {"name": "ball", "x_m": 1}}`: 409,
		`{"set_speed": {"speed": "2"}}`: 200} {
		s.post(at+"/do", body, want)
	}
	for body, want := range map[string]string{`{"time_s": -1}`: "must lie in", `{"time_s": 1e300}`: "must lie in",
		`{}`: "must be given", `{"time_s": "x"}`: "body"} {
		if e := call[refusalJSON](s, "POST", at+"/seek", body, 400); !strings.Contains(e.Error, want) {
			t.Errorf("%s: %s", body, e.Error)
		}
	}
	// The replay stops at its end. Resuming it starts it from the beginning.
	s.post(at+"/seek", fmt.Sprintf(`{"time_s": %v}`, w.Replay.To), 200)
	if e := call[refusalJSON](s, "POST", at+"/step", `{}`, 400); !strings.Contains(e.Error, "ends here") {
		t.Error(e.Error)
	}
	s.post(at+"/do", `{"resume": {}}`, 200)
	s.next(c, "the beginning again", func(now *stateJSON) bool { return !now.Paused && now.At < w.Replay.From+0.3 })
	s.next(c, "the end", func(now *stateJSON) bool { return now.Paused && now.At > w.Replay.To-0.01 })
	if s.sim.Clock().Paused() || s.sim.Match().Game().Score.Magenta != 1 {
		t.Error("the replay has changed the run")
	}

	// The number of replays is limited, and a replay without viewers ends.
	for range mostReplays - 1 { // each of them plays
		s.post("/api/replays", fmt.Sprintf(`{"recording": %q}`, rec.ID), 200)
	}
	if e := call[refusalJSON](s, "POST", "/api/replays", fmt.Sprintf(`{"recording": %q}`, rec.ID),
		503); !strings.Contains(e.Error, "at most 4") {
		t.Error(e.Error)
	}
	_ = c.CloseNow()
	s.replays.unseen.Store(1)
	type list struct{ Replays []replayedJSON }
	until(t, "replays that nobody looks at to be closed",
		func() bool { return len(call[list](s, "GET", "/api/replays", "", 200).Replays) == 0 })
	call[refusalJSON](s, "GET", at+"/world", "", 404)
}

// TestOtherFiles checks that other files in the folder are not served: other kinds, links to the outside, and paths
// instead of ids. A damaged recording is marked as damaged. A recording that is active when the program ends is
// complete.
func TestOtherFiles(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	s := serveAt(t, small(t), "127.0.0.1:0", dir)
	rec := recordRun(s)
	data, err := os.ReadFile(filepath.Join(dir, rec.Name))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{filepath.Join(dir, "damaged.mcap"): data[:len(data)/2],
		filepath.Join(dir, "none.mcap"): []byte("no recording"), filepath.Join(dir, "key.pem"): []byte("secret"),
		filepath.Join(outside, "whole.mcap"): data} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link.mcap": filepath.Join(outside, "whole.mcap"), "within.mcap": rec.Name,
		"folder.mcap": outside} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	list := call[recordingsJSON](s, "GET", "/api/recordings", "", 200)
	found := map[string]recordingJSON{}
	for _, r := range list.Recordings {
		found[r.Name] = r
	}
	if len(found) != 4 || found["damaged.mcap"].Damage == "" || found["none.mcap"].Damage == "" ||
		found["within.mcap"].World == "" || found[rec.Name].Damage != "" {
		t.Errorf("%+v", list)
	}
	for _, id := range []string{"", "x", rec.Name, "../" + filepath.Base(outside) + "/whole.mcap",
		filepath.Join(dir, rec.Name), idOf(s.folders.all[0], "link.mcap"), idOf(s.folders.all[0], "key.pem")} {
		if e := call[refusalJSON](s, "POST", "/api/replays", fmt.Sprintf(`{"recording": %q}`, id),
			404); !strings.Contains(e.Error, "no such recording") {
			t.Errorf("%q: %s", id, e.Error)
		}
	}
	if e := call[refusalJSON](s, "POST", "/api/replays", fmt.Sprintf(`{"recording": %q}`, found["none.mcap"].ID),
		400); e.Error == "" || strings.Contains(e.Error, dir) {
		t.Error(e.Error)
	}
	for _, change := range []func(*http.Request){func(r *http.Request) {
		r.Header.Set("Origin",
			"https://example.org")
	}, func(r *http.Request) { r.Host = "rebound.example.org" }} {
		for _, path := range []string{"/api/recordings", "/api/replays"} {
			if status, _, _ := s.send("POST", path, fmt.Sprintf(`{"recording": %q}`, rec.ID), change); status != 403 {
				t.Errorf("%s from elsewhere: %d", path, status)
			}
		}
	}
	tape := call[tapeJSON](s, "POST", "/api/recordings", `{"record": true}`, 200)
	begun := s.truth.Load().Step
	until(t, "some steps", func() bool { return s.truth.Load().Step > begun+20 })
	s.stop()
	last, err := replay.Open(filepath.Join(dir, tape.Name))
	if err != nil || last.Damage() != nil {
		t.Fatalf("%v, %v", err, last)
	}
	if begin, ok := last.Begin(); !ok || last.Length() < begin+50*time.Millisecond {
		t.Errorf("from %v, %v, to %v", begin, ok, last.Length())
	}
	last.Close()
}

// failed runs a test that fails and keeps its results in a folder.
func failed(t testing.TB, dir string) {
	t.Helper()
	w, err := worlds.Parse("slow.toml", []byte(`
name = "slow"
physics = { engine = "planar" }
robot = [{ name = "cyan1", model = "nubot", team = "cyan", pose = { x_m = -2 } }]
ball = { x_m = 0, y_m = 0, vx_m_s = 1 }
[[expect]]
name = "ball-is-fast"
within_s = 2.5
eventually = { speed = { name = "ball", over_m_s = 3 } }
`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := output.Open("--out", dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	outcome := (&suite.Config{Worlds: []suite.World{{Argument: "slow.toml", World: w}}, Seeds: []uint64{3, 4}, Jobs: 1,
		For: 3 * time.Second, Out: out, Record: &recorder.Config{Program: "test"}}).Run(t.Context(), nil)
	if err := out.Write(suite.ResultsFile, outcome.PrintJSON); err != nil {
		t.Fatal(err)
	}
}

// TestResults checks that the results of omnipitch test are listed, with the recordings of failures.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	failed(t, dir)
	folders, err := openFolders([]string{dir, dir})
	if err != nil || len(folders.all) != 1 {
		t.Fatalf("%v, %+v", err, folders)
	}
	defer folders.close()
	r := folders.all[0].results()
	if r == nil || len(r.Worlds) != 1 || r.Worlds[0].Failed != 2 || len(r.Worlds[0].Failures) != 2 || r.Error != "" {
		t.Fatalf("%+v", r)
	}
	f := r.Worlds[0].Failures[1]
	if _, err := folders.find(f.Recording); err != nil || f.Seed != 4 || len(f.Reasons) != 1 ||
		f.Reasons[0].Expectation != "ball-is-fast" || !(math.Abs(f.Reasons[0].Time-2.5) < 0.02) ||
		!strings.Contains(f.Again, "--seeds 4") {
		t.Errorf("%v, %+v", err, f)
	}
	if err := os.WriteFile(filepath.Join(dir, suite.ResultsFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := folders.all[0].results(); r == nil || !strings.Contains(r.Error,
		"is not a results file of omnipitch test") {
		t.Errorf("%+v", r)
	}
	for text, all := range map[string][]uint64{"": nil, "7": {7}, "1..3, 5, 8..9": {1, 2, 3, 5, 8, 9}} {
		if got := spans(all); got != text {
			t.Errorf("%v: %q, want %q", all, got, text)
		}
	}
}
