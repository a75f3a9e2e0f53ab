import { byId, setText } from './dom.js'

/** Score shows the score and the phase of the game. */
export class Score {
  enter(world) { this.world = world }

  show({ game }) {
    byId('game').hidden = this.world.referee === 'off' && game.cyan + game.magenta === 0 && !game.set_piece
    setText(byId('score'), `${game.cyan} : ${game.magenta}`)
    setText(byId('phase'), [game.phase, game.set_piece && `${game.set_piece} ${game.team ?? ''}`, game.half].filter(Boolean).join(', ').replaceAll('_', ' '))
  }
}
