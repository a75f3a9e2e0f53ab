package enginetest

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics"
)

// kit is an engine under test, with the levels that its drives run at.
type kit struct {
	New
	levels []physics.DriveLevel
}

func (k kit) start(t testing.TB, model *physics.Model) *Rig {
	t.Helper()
	return Start(t, k.New, model)
}

// Run tests an engine with drives at the given levels.
func Run(t *testing.T, start New, levels ...physics.DriveLevel) {
	k := kit{start, levels}
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
		"BoxesStopAtTheirSides":             k.boxesStopAtTheirSides,
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
