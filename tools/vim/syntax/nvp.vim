" SPDX-License-Identifier: MIT
" Text programs of nvfifo. For :make with the errors of lint: setlocal makeprg=nvfifo\ lint\ %
if exists('b:current_syntax')
	finish
endif

syntax match nvpComment /#.*/
syntax region nvpString start=/"/ end=/"/ oneline
syntax match nvpNumber /\<0x[0-9a-fA-F]\+\>/
syntax match nvpNumber /\<[0-9]\+[KMG]\?\>/
syntax match nvpMethod /\<[A-Z0-9]\+\.[A-Z][A-Z0-9_]*\>/
syntax match nvpMethod /\<[A-Z][A-Z0-9]*_[A-Z0-9_]*\>/
syntax keyword nvpStatement title requires space buffer fill map channel object push submit wait
syntax keyword nvpStatement pending write poll order expect show image
syntax keyword nvpAttribute addr after all as at auto both class compression contiguous crc cycle
syntax keyword nvpAttribute dead dma double encrypted event file hi kind limit linear lo long lsr
syntax keyword nvpAttribute method no_prefetch none nosnoop not_main pages pitch r r5g6b5 r8 ramp readonly
syntax keyword nvpAttribute readwrite ref rw last off same short single sli software supervisor system timeslice unpaged
syntax keyword nvpAttribute user vram w wc x8r8g8b8 semaphore64 vram_mmap msi igp encryption
syntax keyword nvpAttribute long_cycle user_queue pusher cache semaphore timeout lost graph fence
syntax keyword nvpWord mthd ninc immd nop data count sli_store sli_use end_segment jump
syntax keyword nvpWord old_jump call return
syntax match nvpWord /^\s*\zs\(0inc\|1inc\|\.word\)\>/

highlight default link nvpComment Comment
highlight default link nvpString String
highlight default link nvpNumber Number
highlight default link nvpMethod Identifier
highlight default link nvpStatement Statement
highlight default link nvpAttribute Type
highlight default link nvpWord Keyword

let b:current_syntax = 'nvp'
