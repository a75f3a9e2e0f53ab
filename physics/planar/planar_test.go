package planar

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/enginetest"
)

func kinematic(int) physics.DriveLevel { return physics.KinematicDrive }

func models() []*physics.Model {
	both := []*physics.Model{enginetest.Match(10, kinematic), enginetest.Match(40, kinematic)}
	for _, s := range both {
		s.Config.Engine = "planar"
	}
	return both
}

func TestMain(m *testing.M) { enginetest.Main(m, New, models()...) }

func TestEngine(t *testing.T) { enginetest.Run(t, New, physics.KinematicDrive) }

func TestRepeats(t *testing.T) { enginetest.Repeats(t, New, models()...) }

// Ten robots that drive circles, and a ball.
func BenchmarkStep(b *testing.B) { enginetest.BenchmarkCircles(b, New, physics.KinematicDrive) }
