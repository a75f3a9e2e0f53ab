package gamecontroller

// A table of codes holds the code of each value in one version. Values that a version lacks are written as a similar
// value, and never read.
type table []int16

// near marks a code as that of a similar value.
func near(code int16) int16 { return similar + code }

const similar = 1000

// code returns the code of a value.
func (t table) code(value uint8) uint8 {
	if int(value) >= len(t) {
		return 0 // not a value: every table begins with the value that means nothing special
	}
	return uint8(t[value] % similar)
}

// value returns the value of a code. The bool result is false if there is none.
func (t table) value(code uint8) (uint8, bool) {
	for v, c := range t {
		if c == int16(code) {
			return uint8(v), true
		}
	}
	return 0, false
}

var (
	phaseCodes  = table{Normal: 0, Shootout: 1, ExtraTime: 2, Timeout: 3}
	colourCodes = table{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	flagCodes   = table{0, 1}
	stepCodes   = table{StepStop: 0, StepGetReady: 1, StepSet: 2}

	stateCodes   = table{Initial: 0, Ready: 1, Set: 2, Playing: 3, Finished: 4, Standby: near(0)}
	stateCodes18 = table{Initial: 0, Ready: 1, Set: 2, Playing: 3, Finished: 4, Standby: 5}

	setPlayCodes = table{NoSetPlay: 0, DirectFreeKick: 1, IndirectFreeKick: 2, PenaltyKick: 3, ThrowIn: 4, GoalKick: 5,
		CornerKick: 6}
	setPlayCodes18 = table{NoSetPlay: 0, GoalKick: 1, DirectFreeKick: 2, IndirectFreeKick: near(2), CornerKick: 3,
		ThrowIn: 4, PenaltyKick: 5} // a free kick is for pushing there, and a throw-in a kick-in
	// codes of the field secondaryState, which also has the phase: 0 to 3
	setPlayCodes12 = table{NoSetPlay: 0, DirectFreeKick: 4, IndirectFreeKick: 5, PenaltyKick: 6, CornerKick: 7,
		GoalKick: 8, ThrowIn: 9}

	penaltyCodes20 = table{IllegalPosition: 1, MotionInSet: 2, MotionInStop: 3, LocalGameStuck: 4, Incapable: 5,
		PickUp: 6, BallHolding: 7, LeavingTheField: 8, PlayingWithHands: 9, Pushing: 10, Cautioned: 11, SentOff: 12,
		Substitute: 13, IllegalPositionInSet: near(1), PlayerStance: near(5), MotionInStandby: near(2), Manual: near(6),
		BallManipulation: near(9), PhysicalContact: near(10), IllegalAttack: near(1), IllegalDefense: near(1),
		Service: near(6)}
	penaltyCodes19 = table{IllegalPosition: 1, MotionInSet: 2, MotionInStop: near(2), LocalGameStuck: 3, Incapable: 4,
		PickUp: 5, BallHolding: 6, LeavingTheField: 7, PlayingWithHands: 8, Pushing: 9, Cautioned: near(5), SentOff: 10,
		Substitute: 11, IllegalPositionInSet: near(1), PlayerStance: near(4), MotionInStandby: near(2), Manual: near(5),
		BallManipulation: near(8), PhysicalContact: near(9), IllegalAttack: near(1), IllegalDefense: near(1),
		Service: near(5)}
	penaltyCodes18 = table{IllegalPosition: 5, MotionInSet: 3, MotionInStop: near(3), LocalGameStuck: 8, Incapable: 4,
		PickUp: 7, BallHolding: 1, LeavingTheField: 6, PlayingWithHands: near(1), Pushing: 2, Cautioned: near(15),
		SentOff: near(15), Substitute: 14, IllegalPositionInSet: 9, PlayerStance: 10, MotionInStandby: 11, Manual: 15,
		BallManipulation: near(1), PhysicalContact: near(2), IllegalAttack: near(5), IllegalDefense: near(5),
		Service: near(7)}
	penaltyCodes12 = table{IllegalPosition: near(33), MotionInSet: near(15), MotionInStop: near(15),
		LocalGameStuck: near(15), Incapable: near(34), PickUp: 34, BallHolding: near(30), LeavingTheField: near(15),
		PlayingWithHands: near(30), Pushing: near(31), Cautioned: near(15), SentOff: near(15), Substitute: 14,
		IllegalPositionInSet: near(33), PlayerStance: near(15), MotionInStandby: near(15), Manual: 15,
		BallManipulation: 30, PhysicalContact: 31, IllegalAttack: 32, IllegalDefense: 33, Service: 35}
)

// states, setPlays and penaltyCodes return the tables of a version.
func (v Version) states() table {
	if v == Standard18 {
		return stateCodes18
	}
	return stateCodes
}

func (v Version) setPlays() table {
	if v == Standard18 {
		return setPlayCodes18
	}
	return setPlayCodes
}

func (v Version) penaltyCodes() table {
	switch v {
	case Humanoid12:
		return penaltyCodes12
	case Standard18:
		return penaltyCodes18
	case Soccer19:
		return penaltyCodes19
	}
	return penaltyCodes20
}
