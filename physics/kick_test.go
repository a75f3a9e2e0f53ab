package physics

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

func kickModel() *Model {
	s := &Model{Config: DefaultConfig(), Ball: DefaultBall(), Robots: []Robot{
		{Team: Cyan, Kicker: &Kicker{MaxSpeed: 12, LobAngle: math.Pi / 4}},
		{Team: Magenta, Kicker: &Kicker{MaxSpeed: 12, LobAngle: math.Pi / 4}},
		{Team: Magenta},
	}}
	s.Config.AirDensity = 0
	s.Field = Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.6, PostWidth: 0.125, Border: 1.5}
	return s
}

// The oracle is the parabola itself, followed to the goal line.
func TestAimedLobPassesUnderTheBar(t *testing.T) {
	s := kickModel()
	rapid.Check(t, func(t *rapid.T) {
		robot := rapid.IntRange(0, 1).Draw(t, "robot")
		goal := s.Robots[robot].Team.Attacks(&s.Field)
		pos := mgl64.Vec3{goal.X - goal.Side*rapid.Float64Range(2, 9).Draw(t, "distance"),
			rapid.Float64Range(-3, 3).Draw(t, "y"), s.Ball.Radius}
		aim := rapid.Float64Range(-0.8, 0.8).Draw(t, "aim")
		heading := math.Atan2(aim-pos[1], goal.X-pos[0])
		forward := rapid.Float64Range(-1, 2).Draw(t, "forward")
		own := mgl64.Vec3{forward * math.Cos(heading), forward * math.Sin(heading), 0}
		v := s.Launch(robot, Kick{Mode: LobKick}, 1, heading, pos, own, mgl64.Vec3{}).VelW
		flight := (goal.X - pos[0]) / v[0]
		y := pos[1] + v[1]*flight
		z := pos[2] + v[2]*flight - s.Config.Gravity*flight*flight/2
		if !scalar.EqualWithinAbs(y, aim, 1e-9) || !scalar.EqualWithinAbs(z, 1-2*s.Ball.Radius, 1e-9) {
			t.Fatalf("crosses the line at y %v z %v, want y %v z %v", y, z, aim, 1-2*s.Ball.Radius)
		}
	})
}

func TestLaunch(t *testing.T) {
	s := kickModel()
	h := math.Sqrt2 / 2
	at := mgl64.Vec3{0, 0, s.Ball.Radius}
	own := mgl64.Vec3{0.5, 0.25, 0}
	tests := []struct {
		name    string
		robot   int
		kick    Kick
		heading float64
		want    mgl64.Vec3
	}{
		{"none", 0, Kick{}, 0, own},
		{"no kicker", 2, Kick{Mode: FlatKick, Speed: 3}, 0, own},
		{"flat", 0, Kick{Mode: FlatKick, Speed: 3}, 0, mgl64.Vec3{3.5, 0.25, 0}},
		{"flat, sideways", 0, Kick{Mode: FlatKick, Speed: 3}, math.Pi / 2, mgl64.Vec3{0.5, 3.25, 0}},
		{"flat, too fast", 0, Kick{Mode: FlatKick, Speed: 30}, 0, mgl64.Vec3{12.5, 0.25, 0}},
		{"lob", 0, Kick{Mode: LobKick, Speed: 4}, 0, mgl64.Vec3{0.5 + 4*h, 0.25, 4 * h}},
		// NuBot's match simulator uses 0.8 and 0.6 of the strength.
		{"lob at an elevation", 0, Kick{Mode: LobKick, Speed: 5, Elevation: math.Atan2(0.6, 0.8)}, 0,
			mgl64.Vec3{4.5, 0.25, 3}},
		{"lob at an elevation, absolute", 0, Kick{Mode: LobKick, Speed: 5, Elevation: math.Atan2(0.6, 0.8),
			Absolute: true}, 0, mgl64.Vec3{4, 0, 3}},
		{"flat, absolute", 0, Kick{Mode: FlatKick, Speed: 3, Absolute: true}, math.Pi / 2, mgl64.Vec3{0, 3, 0}},
		{"an elevation is a lob's", 0, Kick{Mode: FlatKick, Speed: 3, Elevation: 1}, 0, mgl64.Vec3{3.5, 0.25, 0}},
		{"aims nowhere, at an elevation", 0, Kick{Mode: LobKick, Elevation: math.Atan2(3, 4)}, math.Pi,
			mgl64.Vec3{0.5 - 0.8*DefaultLobSpeed, 0.25, 0.6 * DefaultLobSpeed}},
		{"lob away from the goal", 0, Kick{Mode: LobKick}, math.Pi, mgl64.Vec3{0.5 - DefaultLobSpeed*h, 0.25,
			DefaultLobSpeed * h}},
		{"lob past the goal", 1, Kick{Mode: LobKick}, math.Pi - 0.5,
			mgl64.Vec3{0.5 - DefaultLobSpeed*h*math.Cos(0.5), 0.25 + DefaultLobSpeed*h*math.Sin(0.5), DefaultLobSpeed *
				h}},
	}
	for _, tt := range tests {
		if got := s.Launch(tt.robot, tt.kick, 1, tt.heading, at, own,
			mgl64.Vec3{}).VelW; !(got.Sub(tt.want).Len() <= 1e-9) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A lob with a time of flight takes that time to the goal line ahead, of either team, or longer if its horizontal speed
// is limited.
func TestLobTakesItsTimeOfFlight(t *testing.T) {
	s := kickModel()
	s.Robots[0].Kicker.MaxSpeed = 100
	rapid.Check(t, func(t *rapid.T) {
		pos := mgl64.Vec3{rapid.Float64Range(-8, 8).Draw(t, "x"), rapid.Float64Range(-1, 1).Draw(t, "y"), s.Ball.Radius}
		heading := rapid.Float64Range(-0.25, 0.25).Draw(t, "heading")
		side := rapid.SampledFrom([]float64{1, -1}).Draw(t, "side")
		if side < 0 {
			heading += math.Pi
		}
		flight := rapid.Float64Range(0.3, 2).Draw(t, "flight")
		limit := rapid.SampledFrom([]float64{0, 3, 50}).Draw(t, "limit")
		v := s.Launch(0, Kick{Mode: LobKick, Flight: flight, Speed: limit, Absolute: true}, 1, heading, pos,
			mgl64.Vec3{1, 2, 3}, mgl64.Vec3{}).VelW
		took := (side*9 - pos[0]) / v[0]
		want := flight
		if limit > 0 {
			want = math.Max(want, (side*9-pos[0])/math.Cos(heading)/limit)
		}
		z := pos[2] + v[2]*took - s.Config.Gravity*took*took/2
		if !scalar.EqualWithinAbs(took, want, 1e-9) || !scalar.EqualWithinAbs(z, 1-2*s.Ball.Radius, 1e-9) ||
			!scalar.EqualWithinAbs(math.Atan2(v[1], v[0]), math.Atan2(math.Sin(heading), math.Cos(heading)), 1e-9) {
			t.Fatalf("v %v: crosses the line after %v s at z = %v, want %v s and %v", v, took, z, want,
				1-2*s.Ball.Radius)
		}
	})
}

func TestLobTooCloseIsAsFastAsCanBe(t *testing.T) {
	s := kickModel()
	v := s.Launch(0, Kick{Mode: LobKick}, 1, 0, mgl64.Vec3{8.7, 0, s.Ball.Radius}, mgl64.Vec3{}, mgl64.Vec3{}).VelW
	if got := v.Len(); !scalar.EqualWithinAbs(got, 12, 1e-9) {
		t.Errorf("speed %v, want the kicker's 12", got)
	}
}

// With air and a spinning ball. The oracle follows the flight in steps of a tenth.
func TestAimedLobAllowsForTheAir(t *testing.T) {
	s := kickModel()
	s.Config.AirDensity, s.Ball.Magnus = 1.2, 1
	flight := s.Flight()
	for _, x := range []float64{6, 3, 1} {
		pos, spin := mgl64.Vec3{x, 0.3, s.Ball.Radius}, mgl64.Vec3{0, 9, 0}
		v := s.Launch(0, Kick{Mode: LobKick}, 1, 0, pos, mgl64.Vec3{1, 0, 0}, spin).VelW
		if !(v.Len() >= 6) {
			t.Errorf("from %v m: only %v m/s", 9-x, v.Len())
		}
		before := pos
		for pos[0] < 9 {
			before = pos
			pos, v = flight.Fly(pos, v, spin, 0.0005)
		}
		z := before[2] + (pos[2]-before[2])*(9-before[0])/(pos[0]-before[0])
		if !scalar.EqualWithinAbs(z, 1-2*s.Ball.Radius, 1e-3) {
			t.Errorf("from %v m: crosses the line at %v m", 9-x, z)
		}
	}
}

func TestStrengthTable(t *testing.T) {
	k := Kicker{MaxSpeed: 10, Strengths: []Strength{{2, 1}, {4, 5}, {10, 14}}}
	for asked, want := range map[float64]float64{0: 0, 1: 0.5, 2: 1, 3: 3, 4: 5, 5: 6.5, 10: 10, 99: 10, -1: 0} {
		if got := k.Speed(asked); !scalar.EqualWithinAbs(got, want, 1e-12) {
			t.Errorf("asked for %v: %v m/s, want %v", asked, got, want)
		}
	}
}

// A shot takes energy in proportion to its speed squared, up to what the kicker has.
func TestChargeLimitsTheShot(t *testing.T) {
	s := kickModel()
	at := mgl64.Vec3{0, 0, s.Ball.Radius}
	for charge, want := range map[float64]float64{1: 10, 0.5: 12 * math.Sqrt(0.5), 0: 0} {
		shot := s.Launch(0, Kick{Mode: FlatKick, Speed: 10}, charge, 0, at, mgl64.Vec3{}, mgl64.Vec3{})
		if !scalar.EqualWithinAbs(shot.VelW.Len(), want, 1e-12) || !scalar.EqualWithinAbs(shot.Energy, want*want/144,
			1e-12) {
			t.Errorf("charged to %v: %v m/s for %v of the energy", charge, shot.VelW.Len(), shot.Energy)
		}
	}
}
