// Package match carries out what a world file prescribes for a running world: its events, the referee and the coach,
// expectations, walking people, and the radio between teammates.
//
// A Director does this in every step, and keeps the state of it. It reaches bodies and sensors only through the
// interface Simulation. A Match is what users see of a Director.
//
// Positions, poses and twists are in W, in m, m/s, rad and rad/s. Times are sim times.
package match
