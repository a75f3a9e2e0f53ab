package gamecontroller

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// example returns a packet whose fields all have different values, as far as their codes allow.
func example(v Version) *Control {
	c := &Control{Version: v, Packet: 201, Players: 4, Competition: 1, FirstHalf: true, Phase: ExtraTime,
		State: Playing, Kicking: 24, Left: -17, Secondary: 299}
	switch v {
	case Standard18:
		c.Playoff, c.SetPlay = true, ThrowIn
	case Soccer19, Soccer20:
		c.Stopped, c.SetPlay = true, CornerKick
	case Humanoid12:
		c.DropInTeam, c.DropIn = 5, 513
	}
	for i := range c.Teams {
		t := &c.Teams[i]
		*t = Team{Number: []uint8{24, 5}[i], Colour: Red, Score: uint8(3 + i), PenaltyShot: 2, SingleShots: 258}
		if v != Humanoid12 {
			t.KeeperColour, t.Keeper, t.Budget = Gray, 7, 12000
		}
		t.Robots[0] = Robot{Penalty: Substitute, Left: 255}
		t.Robots[10] = Robot{Penalty: PickUp, Left: uint8(30 + i)}
		switch v {
		case Soccer19:
			t.Robots[10].Warnings, t.Robots[10].Cautions = 1, 2
		case Soccer20:
			t.Robots[10].Cautions = 2
		case Humanoid12:
			t.Robots[10] = Robot{Penalty: PickUp, Left: uint8(30 + i), Warnings: 1, Cautions: 2, Red: 3, Keeper: 1}
		}
	}
	return c
}

// versions are all versions.
var versions = []Version{Humanoid12, Standard18, Soccer19, Soccer20}

// A client in Python, which was written from the leagues' headers, reads each version's packets.
func TestClientReadsPackets(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	want := map[Version]map[string]any{
		Humanoid12: {"header": "RGme", "packet": 201, "players": 4, "gameType": 1, "state": 3, "firstHalf": 1,
			"kickOff": 24, "secondaryState": 2, "performing": 0, "step": 0, "dropInTeam": 5, "dropIn": 513, "left": -17,
			"secondary": 299, "0.number": 24, "1.number": 5, "0.colour": 1, "1.score": 4, "0.shot": 2, "1.shots": 258,
			"0.1.penalty": 14, "0.1.secs": 255, "0.2.penalty": 0, "1.11.penalty": 34, "1.11.secs": 31,
			"1.11.warnings": 1, "1.11.yellow": 2, "1.11.red": 3, "1.11.keeper": 1},
		Standard18: {"header": "RGme", "packet": 201, "players": 4, "competitionPhase": 1, "competitionType": 1,
			"gamePhase": 2, "state": 3, "setPlay": 4, "firstHalf": 1, "kicking": 24, "left": -17, "secondary": 299,
			"0.number": 24, "1.number": 5, "0.colour": 1, "0.keeperColour": 9, "0.keeper": 7, "1.score": 4, "0.shot": 2,
			"1.shots": 258, "0.budget": 12000, "0.1.penalty": 14, "0.2.penalty": 0, "1.11.penalty": 7, "1.11.secs": 31},
		Soccer19: {"header": "RGme", "competitionType": 1, "stopped": 1, "gamePhase": 2, "state": 3, "setPlay": 6,
			"firstHalf": 1, "kicking": 24, "left": -17, "secondary": 299, "1.number": 5, "1.keeperColour": 9,
			"0.keeper": 7, "1.score": 4, "1.shots": 258, "1.budget": 12000, "0.1.penalty": 11, "0.2.penalty": 0,
			"1.11.penalty": 5, "1.11.secs": 31, "1.11.warnings": 1, "1.11.cautions": 2, "1.12.penalty": 0},
		Soccer20: {"header": "RGme", "competitionType": 1, "stopped": 1, "gamePhase": 2, "state": 3, "setPlay": 6,
			"firstHalf": 1, "kicking": 24, "left": -17, "secondary": 299, "1.number": 5, "1.keeperColour": 9,
			"0.keeper": 7, "1.score": 4, "1.shots": 258, "1.budget": 12000, "0.1.penalty": 13, "0.2.penalty": 0,
			"1.11.penalty": 6, "1.11.secs": 31, "1.11.cautions": 2, "1.12.penalty": 0},
	}
	var in bytes.Buffer
	for _, v := range versions {
		in.WriteString(hex.EncodeToString(example(v).Append(nil)) + "\n")
	}
	corner := &Control{Version: Humanoid12, True: true, State: Playing, SetPlay: CornerKick, Step: StepGetReady,
		Kicking: 5}
	in.WriteString(hex.EncodeToString(corner.Append(nil)) + "\n")
	client := exec.Command(python, "testdata/client.py")
	client.Stdin = &in
	out := must.Get(client.Output())(t)
	lines := json.NewDecoder(bytes.NewReader(out))
	read := func(name string, want map[string]any) {
		t.Helper()
		var got map[string]any
		must.Do(t, lines.Decode(&got))
		for k, v := range want {
			if n, ok := v.(int); ok {
				v = float64(n)
			}
			if got[k] != v {
				t.Errorf("%s: %s = %v, want %v", name, k, got[k], v)
			}
		}
	}
	for _, v := range versions {
		read(fmt.Sprint(v), want[v])
	}
	read("corner", map[string]any{"header": "RGTD", "secondaryState": 7, "performing": 5, "step": 1, "kickOff": 255})
}

// A packet that was parsed has the content from which it was made.
func TestControl(t *testing.T) {
	for _, v := range versions {
		want := example(v)
		b := want.Append([]byte("x"))[1:]
		must.Equal(t, len(b), v.Size(), "size")
		var got Control
		must.Do(t, got.Parse(b))
		must.Equal(t, got, *want, "version %d", v)
		if n := testing.AllocsPerRun(10, func() {
			b = want.Append(b[:0])
			_ = got.Parse(b)
		}); n != 0 {
			t.Errorf("version %d: %v allocations", v, n)
		}
	}
}

// Penalties that a version lacks are written as similar ones.
func TestPenalties(t *testing.T) {
	for _, c := range []struct {
		v       Version
		p, read Penalty
	}{
		{Soccer19, MotionInStop, MotionInSet}, {Soccer20, MotionInStop, MotionInStop}, {Soccer20, Cautioned, Cautioned},
		{Soccer19, Cautioned, PickUp}, {Standard18, Manual, Manual}, {Standard18, SentOff, Manual},
		{Soccer20, Service, PickUp}, {Humanoid12, Service, Service}, {Humanoid12, Pushing, PhysicalContact},
	} {
		in, got := &Control{Version: c.v}, Control{}
		in.Teams[1].Robots[3].Penalty = c.p
		if err := got.Parse(in.Append(nil)); err != nil || got.Teams[1].Robots[3].Penalty != c.read {
			t.Errorf("version %d, penalty %d: %d, %v", c.v, c.p, got.Teams[1].Robots[3].Penalty, err)
		}
	}
	for _, v := range versions {
		if n := len(v.penaltyCodes()); n != int(penalties) {
			t.Errorf("version %d has codes of %d penalties, want %d", v, n, penalties)
		}
	}
}

// Packets that are none, or have another size or an unknown code, are errors that name the place.
func TestInvalidControl(t *testing.T) {
	packet := func(v Version, at int, value byte) []byte {
		b := example(v).Append(nil)
		b[at] = value
		return b
	}
	for want, b := range map[string][]byte{
		"not a control packet: must begin with RGme":                   []byte("RGrt4567"),
		"version = 17: must be 12, 18, 19 or 20":                       []byte("RGme\x11\x00"),
		"version 20: size = 157: must be 158 bytes":                    example(Soccer20).Append(nil)[:157],
		"version 19: size = 199: must be 198 bytes":                    append(example(Soccer19).Append(nil), 0),
		"version 20: state = 5, at byte 10: no such code":              packet(Soccer20, 10, 5),
		"version 19: penalty = 12, at byte 118: no such code":          packet(Soccer19, 118, 12),
		"version 12: version's high byte = 1, at byte 5: no such code": packet(Humanoid12, 5, 1),
		"version 12: secondaryState = 10, at byte 12: no such code":    packet(Humanoid12, 12, 10),
		"version 20: fieldPlayerColour = 10, at byte 19: no such code": packet(Soccer20, 19, 10),
	} {
		if err := new(Control).Parse(b); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Return packets of both versions, with their bounds.
func TestReturn(t *testing.T) {
	pose := &Return{Version: 4, Team: 5, Player: 20, Message: Alive, Fallen: true, PoseO: [3]float64{-4.5, 3, -1.25},
		BallAge: -1, BallB: [2]float64{0.25, -0.5}}
	b := pose.Append(nil)
	must.Equal(t, hex.EncodeToString(b), "52477274"+"04140501"+"00a08cc5"+"00803b45"+"0000a0bf"+"000080bf"+"00007a43"+
		"0000fac3", "packet of version 4")
	var got Return
	must.Do(t, got.Parse(b))
	must.Equal(t, got, *pose, "version 4")
	manual := Return{Version: 2, Team: 24, Player: 3, Message: Unpenalised}
	must.Equal(t, string(manual.Append(nil)), "RGrt\x02\x18\x03\x01", "packet of version 2")
	must.Do(t, got.Parse(manual.Append(nil)))
	must.Equal(t, got, manual, "version 2")
	if n := testing.AllocsPerRun(10, func() { _ = got.Parse(b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	infinite := *pose
	infinite.PoseO[1] = math.NaN()
	for want, b := range map[string][]byte{
		"must begin with RGrt":      []byte("RGme\x04"),
		"version = 3: must be 2":    []byte("RGrt\x03\x00\x00\x00"),
		"size = 31: must be 32":     b[:31],
		"fallen = 2":                []byte(string(b[:7]) + "\x02" + string(b[8:])),
		"= NaN: must be finite":     infinite.Append(nil),
		"number = 21: must lie in":  []byte("RGrt\x02\x18\x15\x01"),
		"number = 0: must lie in":   []byte("RGrt\x02\x18\x00\x01"),
		"message = 3: must be 0, 1": []byte("RGrt\x02\x18\x05\x03"),
	} {
		must.Fail(t, got.Parse(b), want, fmt.Sprintf("packet %q", b))
	}
}

// No packet makes a parser panic. A packet that parses can be written, and from version 18 on gives the same bytes.
func FuzzPackets(f *testing.F) {
	for _, v := range versions {
		f.Add(example(v).Append(nil))
	}
	f.Add((&Return{Version: 4, Team: 5, Player: 2, BallAge: 0.5}).Append(nil))
	f.Add((&Return{Version: 2, Team: 5, Player: 2}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c, again Control
		if err := c.Parse(b); err == nil {
			written := c.Append(nil)
			if err := again.Parse(written); err != nil || again != c {
				t.Errorf("%x: written as %x, %v", b, written, err)
			}
			if c.Version != Humanoid12 && !bytes.Equal(written, b) {
				t.Errorf("%x: written as %x", b, written)
			}
		}
		var r, back Return
		if err := r.Parse(b); err == nil {
			written := r.Append(nil)
			if err := back.Parse(written); err != nil || back != r {
				t.Errorf("%x: written as %x, %v", b, written, err)
			}
		}
	})
}
