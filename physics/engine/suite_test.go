package engine_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
)

// kit is the levels of drives that an engine is tested with. Kinematic drives run on the engine planar, all others on
// ode, or on engine if it is given.
type kit struct {
	levels []physics.DriveLevel
	engine string
}

func (k kit) start(t testing.TB, model *physics.Model) *enginetest.Rig {
	t.Helper()
	if k.engine != "" {
		model.Config.Engine = k.engine
	}
	return enginetest.Start(t, engine.New, model)
}

func TestODE(t *testing.T) { testEngine(t, "", physics.WheelsDrive, physics.ChassisDrive) }

func TestODEWithRollers(t *testing.T) { testEngine(t, "", physics.RollersDrive) }

func TestPlanar(t *testing.T) { testEngine(t, "", physics.KinematicDrive) }

func TestMuJoCo(t *testing.T) { testEngine(t, "mujoco", physics.ChassisDrive) }

// testEngine runs the tests that every engine must pass, with drives at the given levels.
func testEngine(t *testing.T, engine string, levels ...physics.DriveLevel) {
	k := kit{levels, engine}
	for name, test := range map[string]func(*testing.T){
		"HeldBallStaysBeforeTheRobot":       k.heldBallStaysBeforeTheRobot,
		"HeldBallStopsTheRobotAtAWall":      k.heldBallStopsTheRobotAtAWall,
		"BlockedBallIsLost":                 k.blockedBallIsLost,
		"LevelKickLeavesAlongTheHeading":    k.levelKickLeavesAlongTheHeading,
		"AimedLobEntersTheGoal":             k.aimedLobEntersTheGoal,
		"DribbleTurnKickScores":             k.dribbleTurnKickScores,
		"Mouth":                             k.mouth,
		"FlightIsAParabola":                 k.flightIsAParabola,
		"BounceKeepsItsShareOfSpeed":        k.bounceKeepsItsShareOfSpeed,
		"RollingBallSlowsDownAsTold":        k.rollingBallSlowsDownAsTold,
		"SlidingBallStartsToRoll":           k.slidingBallStartsToRoll,
		"NothingTunnels":                    k.nothingTunnels,
		"BoardsThrowBackAndNetsCatch":       k.boardsThrowBackAndNetsCatch,
		"BoardsEndAtTheirHeightForTheBall":  k.boardsEndAtTheirHeightForTheBall,
		"NoBallRestsOnARobot":               k.noBallRestsOnARobot,
		"ABallPlacedInARobotComesOut":       k.aBallPlacedInARobotComesOut,
		"DriveReachesTheCommandedSpeed":     k.driveReachesTheCommandedSpeed,
		"EncodersTellTheMotion":             k.encodersTellTheMotion,
		"Circle":                            k.circle,
		"AccelerationIsTheChangeOfVelocity": k.accelerationIsTheChangeOfVelocity,
		"HeadOnCollisionKeepsBothUpright":   k.headOnCollisionKeepsBothUpright,
		"RobotPushesAnObstacle":             k.robotPushesAnObstacle,
		"ObstacleRests":                     k.obstacleRests,
		"AnythingGoesAndNothingBreaks":      k.anythingGoesAndNothingBreaks,
		"AbsentBodiesAreNotThere":           k.absentBodiesAreNotThere,
		"AbsentBodiesChangeNothing":         k.absentBodiesChangeNothing,
		"BoxesStopAtTheirSides":             k.boxesStopAtTheirSides,
		"NoBallIsThere":                     k.noBallIsThere,
		"PropsStopRobotsAndObstacles":       k.propsStopRobotsAndObstacles,
		"RobotsPassBelowProps":              k.robotsPassBelowProps,
		"ColumnsAreRound":                   k.columnsAreRound,
		"BallBouncesOffATurnedProp":         k.ballBouncesOffATurnedProp,
		"BallMeetsTheBox":                   k.ballMeetsTheBox,
		"StepAndSnapshotAllocateNothing":    k.stepAndSnapshotAllocateNothing,
		"SnapshotsDoNotShareMemory":         k.snapshotsDoNotShareMemory,
		"HostileCommandsAreRefused":         k.hostileCommandsAreRefused,
		"HostilePlacesAreRefused":           k.hostilePlacesAreRefused,
		"ClosedEngine":                      k.closedEngine,
	} {
		t.Run(name, test)
	}
}

// BenchmarkStep times a step of ten robots that drive circles, and a ball.
func BenchmarkStep(b *testing.B) {
	for _, level := range []physics.DriveLevel{physics.WheelsDrive, physics.ChassisDrive, physics.KinematicDrive} {
		b.Run(string(level), func(b *testing.B) {
			model := enginetest.Match(10, func(int) physics.DriveLevel { return level })
			model.Obstacles = nil
			r := enginetest.Start(b, engine.New, model)
			for i := range r.Commands {
				r.Commands[i].TwistB = physics.PlanarTwist{VX: 1, Omega: 1.5}
			}
			r.Benchmark(b)
		})
	}
}
