package robotio

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/mapping"
)

const halfTurn = math.Pi

// Short names for what the lists of words below are made of.
type (
	words  = mapping.Words[*scene]
	list   = mapping.List[*scene]
	number = mapping.Number[*scene]
	vector = mapping.Vector[*scene]
)

// lexicon collects words.
type lexicon struct{ words }

func newLexicon() *lexicon {
	return &lexicon{words{
		Numbers: map[string]number{}, Vectors: map[string]vector{}, Texts: map[string]func(*scene) string{},
		Times: map[string]func(*scene) time.Duration{}, Blobs: map[string]func(*scene) []byte{}, Lists: map[string]list{},
	}}
}

// plain, length and angle add a number by its dimension; flag one that is a truth value.
func (l *lexicon) plain(name string, get func(*scene) float64) {
	l.Numbers[name] = number{Dim: mapping.None, Get: get}
}
func (l *lexicon) length(name string, get func(*scene) float64) {
	l.Numbers[name] = number{Dim: mapping.Length, Get: get}
}
func (l *lexicon) angle(name string, get func(*scene) float64) {
	l.Numbers[name] = number{Dim: mapping.Angle, Get: get}
}
func (l *lexicon) flag(name string, get func(*scene) bool) {
	l.plain(name, func(s *scene) float64 {
		if get(s) {
			return 1
		}
		return 0
	})
}

// vec adds name.x, name.y and name.z of a point or of a velocity, metres.
func (l *lexicon) vec(name string, get func(*scene) mgl64.Vec3) {
	for i, axis := range []string{"x", "y", "z"} {
		l.length(name+axis, func(s *scene) float64 { return get(s)[i] })
	}
}

// rates adds name.x, name.y and name.z of rates of turn.
func (l *lexicon) rates(name string, get func(*scene) mgl64.Vec3) {
	for i, axis := range []string{"x", "y", "z"} {
		l.angle(name+axis, func(s *scene) float64 { return get(s)[i] })
	}
}

// pixel adds name.u and name.v of a place in a picture.
func (l *lexicon) pixel(name string, get func(*scene) [2]float64) {
	for i, axis := range []string{"u", "v"} {
		l.plain(name+axis, func(s *scene) float64 { return get(s)[i] })
	}
}

// quat adds an orientation as a quaternion.
func (l *lexicon) quat(name string, get func(*scene) mgl64.Quat) {
	for i, axis := range []string{"qx", "qy", "qz"} {
		l.plain(name+axis, func(s *scene) float64 { return get(s).V[i] })
	}
	l.plain(name+"qw", func(s *scene) float64 { return get(s).W })
}

// pose adds a place, an orientation as a quaternion, and the heading.
func (l *lexicon) pose(name string, get func(*scene) spatial.Pose) {
	l.vec(name, func(s *scene) mgl64.Vec3 { return get(s).Pos })
	l.quat(name, func(s *scene) mgl64.Quat { return get(s).Rot })
	l.angle(name+"heading", func(s *scene) float64 { return get(s).Heading() })
}

// twist adds a velocity over the floor in the robot's axes.
func (l *lexicon) twist(name string, get func(*scene) physics.PlanarTwist) {
	l.length(name+"vx", func(s *scene) float64 { return get(s).VX })
	l.length(name+"vy", func(s *scene) float64 { return get(s).VY })
	l.angle(name+"omega", func(s *scene) float64 { return get(s).Omega })
}

// polar adds bearing and distance over the floor of a point in the robot's axes.
func (l *lexicon) polar(name string, get func(*scene) mgl64.Vec3) {
	l.angle(name+"bearing", func(s *scene) float64 { v := get(s); return math.Atan2(v[1], v[0]) })
	l.length(name+"distance", func(s *scene) float64 { v := get(s); return math.Hypot(v[0], v[1]) })
}

// each adds a list of n members, which Enter shows as scene.at.
func (l *lexicon) each(name string, n func(*scene) int, members *lexicon) {
	l.Lists[name] = list{Len: n, Enter: func(s *scene, i int) { s.at = i }, Words: members.words}
}
