package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// refereed is a world whose ball moves when the game is running.
const refereed = `name = "refereed"
field = "msl-18x12"
[physics]
engine = "planar"
[[robot]]
name = "cyan2"
model = "nubot"
pose = { x_m = -3 }
[[robot]]
name = "magenta2"
model = "nubot"
team = "magenta"
pose = { x_m = 3, heading_deg = 180 }
[[event]]
at_s = 0
game_command = { command = "reset" }
[[event]]
when = { game_state = { phase = "set_piece", set_piece = "corner", team = "magenta" } }
place = { name = "ball", x_m = -8.9, y_m = 5.9 }
[[event]]
when = { game_state = { phase = "playing", half = "first_half" } }
place = { name = "ball", x_m = -8, y_m = 4, vx_m_s = 1 }
`

// TestRunFollowsRefereeBox checks that a run executes the commands of a box. Both teams report what they see, and the
// recording must have the commands in their steps.
func TestRunFollowsRefereeBox(t *testing.T) {
	var mu sync.Mutex
	balls := map[physics.Team]refbox.Vec3{}
	box := must.Get(refbox.Listen(refbox.ServerConfig{Addr: "127.0.0.1:0", WorldState: func(team physics.Team,
		w *refbox.WorldState, _ []byte) {
		mu.Lock()
		defer mu.Unlock()
		balls[team] = w.Balls[0].Position
	}}))(t)
	defer box.Close()
	at := func(team physics.Team, ok func(x, y float64) bool) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			ball, seen := balls[team]
			return seen && ok(ball[0], ball[1])
		}
	}
	path := filepath.Join(t.TempDir(), "a.mcap")
	p := launch(t, "", "run", aWorld(t, refereed), "--ros1", "off", "--refbox", box.Addr(), "--record",
		path, "--level", "*=truth")
	until(t, "magenta to see the ball in the middle", at(physics.Magenta, func(x, y float64) bool {
		return x == 0 && y == 0
	}))
	box.Send("FIRST_HALF", "", nil)
	box.Send("CORNER", physics.Magenta, nil)
	until(t, "magenta to see the ball in a corner", at(physics.Magenta, func(x, y float64) bool {
		return x == 5.9 && y == 8.9
	}))
	until(t, "so does cyan", at(physics.Cyan, func(x, y float64) bool { return x == -5.9 && y == -8.9 }))
	box.Send("START", "", nil)
	until(t, "the ball to roll", at(physics.Cyan, func(x, y float64) bool { return y > -8 && y < -7 }))
	p.stop()
	prints(t, console.ExitDone, "equal those of the recording", "replay", path, "--check")
	wantLines(t, p.stderr(), `calls cyan "224.16.32.127"`, `calls magenta "224.16.32.127:1"`)
}

// TestRunWithoutRefereeBox checks that a missing or silent box does not change the state of a run.
func TestRunWithoutRefereeBox(t *testing.T) {
	silent := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer silent.Close()
	nobody := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	nobody.Close()
	world := aWorld(t, refereed)
	hashes := map[string]bool{}
	for _, flags := range [][]string{nil, {"--refbox", silent.Addr().String()}, {"--refbox", nobody.Addr().String()}} {
		hashes[summaryOf(t, append([]string{"run", world, "--ros1", "off", "--for", "1s", "--speed", "max", "--level",
			"*=truth"}, flags...)...).StateHash] = true
	}
	if len(hashes) != 1 {
		t.Errorf("states %v, want one", hashes)
	}
}

// TestRunIsRefereeBox checks that a run sends the events of its game to a team's own client.
func TestRunIsRefereeBox(t *testing.T) {
	world := aWorld(t, refereed+"[[event]]\nat_s = 0\ngame_command = { command = \"first_half\" }\n[[event]]\nat_s = "+
		"0\ngame_command = { command = \"start\" }\n")
	p := launch(t, "", "run", world, "--ros1", "off", "--refbox-server", "0", "--refbox-magenta",
		"224.16.32.53", "--level", "*=truth")
	p.says("referee box at ")
	addr := regexp.MustCompile(`referee box at (\S+)`).FindStringSubmatch(p.stderr())[1]
	conn := must.Get(net.Dial("tcp", addr))(t)
	defer conn.Close()
	in := refbox.NewReader(conn)
	for _, want := range []string{`{"command":"WELCOME","targetTeam":"224.16.32.127"}`,
		`{"command":"FIRST_HALF","targetTeam":""}`, `{"command":"START","targetTeam":""}`} {
		if got, err := in.Next(); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	p.stop()
}

// TestRefbox checks that the box on a terminal sends typed commands and prints what teams send.
func TestRefbox(t *testing.T) {
	typed, keyboard := io.Pipe()
	screen, out := io.Pipe()
	errs, toErrs := io.Pipe()
	var running sync.WaitGroup
	running.Go(func() {
		c := refboxCmd{Listen: "127.0.0.1:0", Cyan: "224.16.32.53", JSON: true}
		if err := c.run(context.Background(), typed, console.Streams{Out: out, Err: toErrs}); err != nil {
			t.Error(err)
		}
		out.Close()
		toErrs.Close()
	})
	said := bufio.NewScanner(errs)
	wantLine := func(pattern string) string {
		t.Helper()
		m := regexp.MustCompile(pattern)
		if !said.Scan() || !m.MatchString(said.Text()) {
			t.Fatalf("%q, want %s", said.Text(), pattern)
		}
		return m.FindStringSubmatch(said.Text())[1]
	}
	conn := must.Get(net.Dial("tcp", wantLine(`teams connect to (127\.0\.0\.1:\d+);`)))(t)
	defer conn.Close()
	wantLine(`cyan: connected from \S+ as (224\.16\.32\.53)$`)
	in := refbox.NewReader(conn)
	io.WriteString(keyboard, "dance\n")
	wantLine(`"(DANCE)": must be one of CORNER, `)
	io.WriteString(keyboard, "\nis_alive cyan 3\nSTART\n")
	for _, want := range []string{`{"command":"WELCOME","targetTeam":"224.16.32.53"}`,
		`{"command":"IS_ALIVE","targetTeam":"224.16.32.53","robotID":3}`, `{"command":"START","targetTeam":""}`} {
		if got, err := in.Next(); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	state := (&refbox.WorldState{TeamName: "we"}).Append(nil)
	must.Get(conn.Write(append([]byte("{\n"), state[1:]...)))(t)
	lines := bufio.NewScanner(screen)
	if want := `{"team":"cyan","worldstate":` + string(state[:len(state)-1]) + "}"; !lines.Scan() ||
		lines.Text() != want {
		t.Errorf("%s, want %s", lines.Text(), want)
	}
	go io.Copy(io.Discard, errs)
	keyboard.Close()
	running.Wait()
	if _, err := in.Next(); err != io.EOF {
		t.Errorf("at the end: %v, want %v", err, io.EOF)
	}
}

// TestRefboxFlags checks the exit codes and sentences of wrong referee box flags and of ports in use.
func TestRefboxFlags(t *testing.T) {
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	for _, c := range []struct {
		code int
		want string
		args string
	}{
		{console.ExitBadInput, `--refbox = "a b": must be HOST:PORT, HOST or PORT`, "run chase-ball --refbox 'a b'"},
		{console.ExitBadInput, `--refbox-server = "": must be`, "run chase-ball --refbox-server="},
		{console.ExitBadInput, "--refbox-cyan and --refbox-magenta: need --refbox-server",
			"run chase-ball --refbox 1 --refbox-magenta 224.16.32.1"},
		{console.ExitBadInput, `--refbox: the world has an automatic referee`,
			"run scripted-match --ros1 off --refbox 1"},
		{console.ExitBadInput, `--listen = "a:b": must be`, "refbox --listen a:b"},
		{console.ExitBadInput, "--listen: .*assign", "refbox --listen 192.0.2.1:0"},
		{console.ExitUnavailable, "--listen: .*in use", "refbox --listen " + taken.Addr().String()},
		{console.ExitUnavailable, "--refbox-server: .*in use",
			"run chase-ball --ros1 off --refbox-server " + taken.Addr().String()},
	} {
		refuses(t, c.code, c.want, shellWords(c.args)...)
	}
}

// TestWorldNamesRefereeBox checks that a world names the box that its runs follow, unless a flag overrides it.
func TestWorldNamesRefereeBox(t *testing.T) {
	var told atomic.Int64 // world states received from the second team that connects
	box := must.Get(refbox.Listen(refbox.ServerConfig{Addr: "127.0.0.1:0", WorldState: func(team physics.Team,
		_ *refbox.WorldState, _ []byte) {
		if team == physics.Magenta {
			told.Add(1)
		}
	}}))(t)
	defer box.Close()
	nobody := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	nobody.Close()
	path := filepath.Join(t.TempDir(), "boxed.toml")
	write := func(address string) {
		t.Helper()
		text := strings.Replace(strings.Replace(refereed, "\n", "\nreferee = \"refbox\"\n", 1),
			"[[event]]\nat_s = 0\ngame_command = { command = \"reset\" }\n", "", 1) + "[refbox]\naddress = \"" +
			address + "\"\n[[expect]]\nname = \"stays\"\nalways = { game_state = { phase = \"stopped\" } " +
			"}\nfrom_s = 0\nwithin_s = 1\n"
		must.Write(t, path, text)
	}
	write(nobody.Addr().String())
	p := launch(t, "", "run", path, "--ros1", "off", "--refbox", box.Addr(), "--level", "*=truth")
	until(t, "the run to be connected", func() bool { return told.Load() > 0 })
	p.stop()
	write(box.Addr())
	prints(t, console.ExitDone, path+": ok; run connects to the referee box at "+box.Addr()+"\n", "check", path)
	recording := filepath.Join(t.TempDir(), "a.mcap")
	told.Store(0)
	p = launch(t, "", "run", path, "--ros1", "off", "--level", "*=truth", "--record", recording)
	until(t, "the run to be connected again", func() bool { return told.Load() > 0 })
	p.stop()
	if info := prints(t, console.ExitDone, "", "info",
		recording); !regexp.MustCompile(`(?m)^referee +refbox$`).MatchString(info) {
		t.Errorf("info does not name the referee:\n%s", info)
	}
	run := "run " + path + " --for 1s --speed max --ros1 off --level *=truth --refbox "
	for _, c := range []struct{ says, args string }{ // says is a line of output about the box
		{"refereed: referee box " + nobody.Addr().String() + ": no connection for cyan", run + nobody.Addr().String()},
		{"", run + "off"},
		{path + ": test does not connect to a referee box: the game stays stopped", "test " + path +
			" --level *=truth"},
		{"refereed: replay --continue does not connect to a referee box: the game stays stopped",
			"replay " + recording + " --continue --for 1s --speed max --ros1 off"},
	} {
		code, stdout, stderr := command(t, strings.Fields(c.args)...)
		said := ""
		for line := range strings.Lines(stderr) {
			if strings.Contains(line, "referee box") {
				said += line
			}
		}
		if code != console.ExitDone || strings.Count(said, "\n") != min(len(c.says), 1) ||
			!strings.HasPrefix(said, c.says) {
			t.Errorf("%v: exit code %d, says %q, want %q\n%s%s", c.args, code, said, c.says, stdout, stderr)
		}
	}
	write("a b")
	refuses(t, console.ExitBadInput, `refbox: address = "a b": must be HOST:PORT, HOST or PORT`, "run", path)
}

// TestCoach checks that the coach of a running simulation controls its game and sends a message to a team. An invalid
// command must be bad input and change nothing.
func TestCoach(t *testing.T) {
	uri, _ := freeMaster(t)
	t.Setenv("ROS_MASTER_URI", uri)
	prints(t, console.ExitUnavailable, "no ROS master answers", "coach", "game", "stop")
	world := aWorld(t, `
name = "coached"
include = ["nubot-attack"]
[[expect]]
name = "kick-off"
eventually = { game_state = { phase = "set_piece", set_piece = "kickoff", team = "magenta" } }
`)
	sim := simulateWorld(t, uri, world, "--level", "*=objects")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"tell test --team cyan --test-mode 4 --a 2,1,90 --id-a 3", console.ExitDone, ""},
		{"tell --team cyan", console.ExitDone, ""},
		{"game dance", console.ExitBadInput, `"dance"`},
		{"game kickoff", console.ExitBadInput, "must be cyan or magenta"},
		{"tell own_dance", console.ExitBadInput, `"own_dance"`},
		{"tell --a 1", console.ExitBadInput, "must be X,Y or X,Y,DEG"},
		{"tell --a 1,x", console.ExitBadInput, `"x" must be a number`},
		{"tell --team green", console.ExitBadInput, "green"},
		{"game kickoff magenta", console.ExitDone, ""},
	} {
		prints(t, c.code, c.want, append([]string{"coach"}, strings.Fields(c.args)...)...)
	}
	if v := sim.interrupt().Expect; len(v) != 1 || v[0].Outcome != "passed" {
		t.Errorf("verdicts: %+v", v)
	}
}
